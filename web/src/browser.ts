// All recorded channels: search, choose, plot.
import type { Channel } from "./data";
import { h } from "./dom";
import { unit_of, TimePanel, type Curve, type Panel } from "./plots";
import { state } from "./state";
import { axis_name, pretty_unit } from "./units";
import { XyPanel } from "./xyplot";

const most_rows = 250;

/** Words that all occur in the name; "*" stands for anything, and then the whole name is meant. */
export function matcher(search: string): (name: string) => boolean {
  const words = search.toLowerCase().trim().split(/\s+/).filter(Boolean);
  const tests = words.map((word) => {
    if (!word.includes("*") && !word.includes("?")) return (name: string) => name.includes(word);
    const pattern = word
      .replace(/[.+^${}()|[\]\\]/g, "\\$&")
      .replace(/\*+/g, ".*")
      .replace(/\?/g, ".");
    const expression = new RegExp(`^${pattern}$`);
    return (name: string) => expression.test(name);
  });
  return (name) => tests.every((test) => test(name.toLowerCase()));
}

export class ChannelBrowser {
  readonly element: HTMLElement;
  private readonly search: HTMLInputElement;
  private readonly list = h("div", {
    class: "channel-list",
    tabindex: 0,
    role: "group",
    "aria-label": "Channels",
  });
  private readonly chosen = h("div", { class: "chosen-plots panels" });
  private readonly x_box = h("select", { "aria-label": "x axis of the plots", class: "x-box" });
  private readonly components: string[];
  private panels: Panel[] = [];
  private x = "time";

  constructor(
    private readonly channels: Channel[],
    components: string[],
    private readonly curves: (names: string[]) => Curve[],
    extra: HTMLElement[] = [],
  ) {
    this.components = [...components].sort((a, b) => b.length - a.length);
    this.search = h("input", {
      type: "search",
      placeholder: "search: upper.*, force …",
      "aria-label": "Search channels",
      spellcheck: "false",
      autocomplete: "off",
    });
    this.search.addEventListener("input", () => this.fill());
    this.x_box.addEventListener("change", () => {
      this.x = this.x_box.value;
      this.draw();
    });
    const none = h("button", { type: "button", click: () => state.select([]) }, "clear");
    this.element = h(
      "div",
      { class: "browser" },
      h(
        "div",
        { class: "browser-side" },
        h("div", { class: "browser-tools" }, this.search, none),
        this.list,
        h("label", { class: "x-choice" }, "x: ", this.x_box, ...extra),
      ),
      this.chosen,
    );
    this.fill();
    this.fill_x();
    this.draw();
    state.on("selection", () => {
      this.mark();
      this.fill_x();
      this.draw();
    });
  }

  /** Shows the channels of one component. */
  find(text: string): void {
    this.search.value = text;
    this.fill();
  }
  focus(): void {
    this.search.focus();
    this.search.select();
  }
  get shown(): number {
    return this.list.querySelectorAll("input").length;
  }
  redraw(): void {
    this.draw();
  }

  private group_of(name: string): string {
    for (const component of this.components)
      if (name === component || name.startsWith(`${component}.`)) return component;
    return name.split(".").slice(0, -1).join(".") || name;
  }

  private fill(): void {
    const test = matcher(this.search.value);
    const found = this.channels.filter((channel) => test(channel.name));
    const groups = new Map<string, Channel[]>();
    for (const channel of found.slice(0, most_rows)) {
      const group = this.group_of(channel.name);
      groups.set(group, [...(groups.get(group) ?? []), channel]);
    }
    this.list.textContent = "";
    for (const [group, members] of groups) {
      const box = h("div", { class: "channel-group", role: "group", "aria-label": group });
      box.append(h("div", { class: "channel-group-name" }, group));
      for (const channel of members) {
        const short = channel.name.startsWith(`${group}.`)
          ? channel.name.slice(group.length + 1)
          : channel.name;
        const input = h("input", { type: "checkbox", "data-channel": channel.name });
        input.checked = state.selection.includes(channel.name);
        input.addEventListener("change", () => state.toggle(channel.name));
        box.append(
          h(
            "label",
            {
              class: "channel",
              title: channel.summary ? `${channel.name}: ${channel.summary}` : channel.name,
            },
            input,
            h("span", { class: "channel-name" }, short),
            h("span", { class: "channel-unit" }, pretty_unit(channel.unit)),
            h("span", { class: "channel-summary" }, channel.summary),
          ),
        );
      }
      this.list.append(box);
    }
    const more = found.length - most_rows;
    if (more > 0) this.list.append(h("p", { class: "note" }, `${more} more: search for less`));
    if (!found.length) this.list.append(h("p", { class: "note" }, "no such channel"));
  }

  private mark(): void {
    const chosen = new Set(state.selection);
    for (const input of this.list.querySelectorAll<HTMLInputElement>("input"))
      input.checked = chosen.has(input.dataset.channel ?? "");
  }

  private fill_x(): void {
    this.x_box.textContent = "";
    const names = ["time", ...state.selection];
    if (!names.includes(this.x)) this.x = "time";
    for (const name of names)
      this.x_box.append(h("option", { value: name, selected: name === this.x }, name));
  }

  private draw(): void {
    this.panels.forEach((panel) => panel.destroy());
    this.panels = [];
    this.chosen.textContent = "";
    const names = state.selection.filter((name) => name !== this.x);
    const curves = this.curves(names);
    if (!curves.length) {
      this.chosen.append(h("p", { class: "note empty" }, "Tick channels to plot them here."));
      return;
    }
    const units = [...new Set(curves.map(unit_of))];
    for (const unit of units) {
      const own = curves.filter((curve) => unit_of(curve) === unit);
      const title =
        axis_name(
          own.map((curve) => curve.channel),
          unit,
        ) ||
        pretty_unit(unit) ||
        "numbers";
      this.panels.push(
        this.x === "time" ? new TimePanel(title, own) : new XyPanel(`${title} over ${this.x}`, this.x, own),
      );
    }
    this.chosen.append(...this.panels.map((panel) => panel.element));
  }
}
