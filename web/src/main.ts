// Reads the report and shows it.
import { read_report } from "./decode";
import { h } from "./dom";
import { Page } from "./page";

const root = document.getElementById("page")!;
root.textContent = "";
const report = read_report();
if (report?.format === 1 && report.runs?.length)
  Object.assign(window, { escapement: new Page(report, root).probe });
else root.append(h("p", { class: "message error" }, "This page holds no report that it can read."));
