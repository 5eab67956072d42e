// The model as written and as run: its text in colours, its parameters as a table.
import { h } from "./dom";

export interface Token {
  kind: "plain" | "key" | "string" | "number" | "comment" | "mark";
  text: string;
}

const number_at =
  /^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?( ?(?:%|°|[A-Za-zµΩ]+(?:\^-?\d+)?(?:[*/·][A-Za-zµΩ\d]+(?:\^-?\d+)?)*))?(?=$|[\s,\]}#)*/+-])/;
const key_at = /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[A-Za-z_][\w.-]*)(?=\s*:(?:\s|$))/;
const string_at = /^("(?:[^"\\]|\\.)*"?|'(?:[^']|'')*'?)/;

/** One line of YAML; good enough to colour it. */
export function tokens(line: string): Token[] {
  const out: Token[] = [];
  const put = (kind: Token["kind"], text: string) => {
    const last = out[out.length - 1];
    if (last && last.kind === kind) last.text += text;
    else out.push({ kind, text });
  };
  let rest = line;
  let fresh = true; // at the beginning of a value or key
  while (rest) {
    const space = /^\s+/.exec(rest)?.[0];
    if (space) {
      put("plain", space);
      rest = rest.slice(space.length);
      if (rest.startsWith("#")) {
        put("comment", rest);
        break;
      }
      continue;
    }
    if (rest.startsWith("#") && rest.length === line.length) {
      put("comment", rest);
      break;
    }
    const key = fresh ? key_at.exec(rest)?.[0] : undefined;
    if (key) {
      put("key", key);
      rest = rest.slice(key.length);
      fresh = false;
      continue;
    }
    const text = fresh ? string_at.exec(rest)?.[0] : undefined;
    if (text) {
      put("string", text);
      rest = rest.slice(text.length);
      fresh = false;
      continue;
    }
    const value = fresh ? number_at.exec(rest)?.[0] : undefined;
    if (value) {
      put("number", value);
      rest = rest.slice(value.length);
      fresh = false;
      continue;
    }
    const c = rest[0];
    if (/[[\]{},:]/.test(c) || (c === "-" && /^-\s/.test(rest))) {
      put("mark", c);
      fresh = true;
    } else {
      const word = /^[\w.]+/.exec(rest)?.[0] ?? c;
      put("plain", word);
      rest = rest.slice(word.length - 1);
      fresh = /[(*/+]/.test(c);
    }
    rest = rest.slice(1);
  }
  return out;
}

/** The lines of the top-level block `parameters`, as name, value and comment. */
export function parameters(model: string): { name: string; value: string; comment: string }[] {
  const out: { name: string; value: string; comment: string }[] = [];
  const lines = model.split("\n");
  const start = lines.findIndex((line) => /^parameters\s*:/.test(line));
  if (start < 0) return out;
  const flow = /^parameters\s*:\s*\{(.*)\}\s*(#.*)?$/.exec(lines[start]);
  if (flow) {
    let depth = 0;
    let item = "";
    for (const c of `${flow[1]},`) {
      if (/[[{(]/.test(c)) ++depth;
      if (/[\]})]/.test(c)) --depth;
      if (c === "," && !depth) {
        const cut = item.indexOf(":");
        if (cut > 0)
          out.push({ name: item.slice(0, cut).trim(), value: item.slice(cut + 1).trim(), comment: "" });
        item = "";
      } else item += c;
    }
    return out;
  }
  let indent = -1;
  for (const line of lines.slice(start + 1)) {
    if (/^\s*(#.*)?$/.test(line)) continue;
    const own = line.length - line.trimStart().length;
    if (!own) break;
    if (indent < 0) indent = own;
    const found = /^\s*([\w.-]+)\s*:\s*(.*?)(?:\s+#\s*(.*))?$/.exec(line);
    if (own > indent || !found) continue;
    out.push({ name: found[1], value: found[2], comment: found[3] ?? "" });
  }
  return out;
}

/** `source`: as written, if that is known; `settings`: what the command line changed. */
export function model_text(
  model: string,
  source: string,
  settings: { key: string; value: string }[],
): HTMLElement {
  const element = h("div", { class: "model" });
  const listed = parameters(source || model);
  if (listed.length) {
    const body = h("tbody");
    for (const { name, value, comment } of listed)
      body.append(
        h(
          "tr",
          {},
          h("th", { scope: "row" }, name),
          h("td", {}, value),
          h("td", { class: "muted" }, comment),
        ),
      );
    element.append(h("table", { class: "parameters" }, h("caption", {}, "Parameters"), body));
  }
  if (settings.length)
    element.append(
      h(
        "p",
        {},
        "Changed for this run: ",
        h("code", {}, settings.map(({ key, value }) => `${key}=${value}`).join(", ")),
      ),
    );
  if (!source) {
    element.append(code_frame(model, "Model"));
    return element;
  }
  const written = code_frame(source, "Model as written");
  const run = code_frame(model, "Model as run");
  run.hidden = true;
  const choose = (as_run: boolean) => {
    run.hidden = !as_run;
    written.hidden = as_run;
    as_written_button.setAttribute("aria-pressed", String(!as_run));
    as_run_button.setAttribute("aria-pressed", String(as_run));
  };
  const as_written_button = h(
    "button",
    { type: "button", class: "toggle", "aria-pressed": "true" },
    "as written",
  );
  const as_run_button = h("button", { type: "button", class: "toggle", "aria-pressed": "false" }, "as run");
  as_written_button.addEventListener("click", () => choose(false));
  as_run_button.addEventListener("click", () => choose(true));
  element.append(h("div", { class: "choice button-group" }, as_written_button, as_run_button), written, run);
  return element;
}

function code_frame(model: string, label: string): HTMLElement {
  const copy = h("button", { type: "button", class: "copy" }, "copy");
  const said = (text: string) => {
    copy.textContent = text;
    setTimeout(() => (copy.textContent = "copy"), 1500);
  };
  copy.addEventListener("click", () => {
    const fallback = () => {
      const area = h("textarea", { class: "off-screen" });
      area.value = model;
      document.body.append(area);
      area.select();
      said(document.execCommand("copy") ? "copied" : "not possible");
      area.remove();
    };
    if (navigator.clipboard) navigator.clipboard.writeText(model).then(() => said("copied"), fallback);
    else fallback();
  });
  const code = h("code");
  const lines = model.replace(/\n$/, "").split("\n");
  const most = 5000;
  for (const line of lines.slice(0, most)) {
    const row = h("span", { class: "code-line" });
    for (const token of tokens(line))
      row.append(token.kind === "plain" ? token.text : h("span", { class: `t-${token.kind}` }, token.text));
    row.append("\n");
    code.append(row);
  }
  if (lines.length > most) code.append(`… ${lines.length - most} more lines\n`);
  const frame = h("div", { class: "code-frame" }, copy, h("pre", { tabindex: 0, "aria-label": label }, code));
  return frame;
}
