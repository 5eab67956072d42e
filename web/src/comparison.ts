// Two runs side by side: how far their channels are apart.
import type { Norm } from "./data";
import { h } from "./dom";
import { number, quantity } from "./units";

type Column = "channel" | "largest" | "at" | "rms" | "relative";

export function norm_table(norms: Norm[], plot: (channel: string) => void): HTMLElement {
  let by: Column = "relative";
  let descending = true;
  const columns: [Column, string][] = [
    ["channel", "channel"],
    ["largest", "largest difference"],
    ["at", "at"],
    ["rms", "rms"],
    ["relative", "relative"],
  ];
  const body = h("tbody");
  const heads = new Map<Column, HTMLElement>();
  const fill = () => {
    const sorted = [...norms].sort((a, b) => {
      const order = by === "channel" ? a.channel.localeCompare(b.channel) : (a[by] ?? -1) - (b[by] ?? -1);
      return descending ? -order : order;
    });
    body.textContent = "";
    for (const n of sorted.slice(0, 1000))
      body.append(
        h(
          "tr",
          {},
          h(
            "th",
            { scope: "row" },
            h("button", { type: "button", class: "plain", click: () => plot(n.channel) }, n.channel),
          ),
          h("td", {}, quantity(n.largest, n.unit, 3)),
          h("td", {}, quantity(n.at, "s", 4)),
          h("td", {}, quantity(n.rms, n.unit, 3)),
          h("td", {}, number(n.relative, 3)),
        ),
      );
    if (sorted.length > 1000)
      body.append(h("tr", {}, h("td", { colspan: 5 }, `${sorted.length - 1000} more`)));
    for (const [column, head] of heads)
      head.setAttribute("aria-sort", column !== by ? "none" : descending ? "descending" : "ascending");
  };
  const row = h("tr");
  for (const [column, title] of columns) {
    const button = h("button", { type: "button", class: "plain" }, title);
    button.addEventListener("click", () => {
      descending = by === column ? !descending : column !== "channel";
      by = column;
      fill();
    });
    const head = h("th", { scope: "col" }, button);
    heads.set(column, head);
    row.append(head);
  }
  fill();
  return h("div", { class: "scroll-x" }, h("table", { class: "norms" }, h("thead", {}, row), body));
}
