// The sections of the page, in their order.
import { ChannelBrowser } from "./browser";
import { norm_table } from "./comparison";
import type { Report } from "./data";
import { RunData } from "./decode";
import { h, toggle } from "./dom";
import { keys_dialog, listen_to_keys } from "./keys";
import { model_text } from "./model_text";
import { is_dark } from "./palette";
import { Player } from "./player";
import { TimePanel, time_panels, unit_of, type Curve, type Panel } from "./plots";
import { state } from "./state";
import { facts, numbers, status } from "./summary";
import { topology } from "./topology";
import { count } from "./units";
import { can_draw, View3d } from "./view3d";
import { XyPanel } from "./xyplot";

function web_gl(): boolean {
  try {
    return !!document.createElement("canvas").getContext("webgl2");
  } catch {
    return false;
  }
}

function theme_button(): HTMLElement {
  const button = h(
    "button",
    { type: "button", class: "theme", "aria-label": "Light or dark", title: "Light or dark" },
    "◐",
  );
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = is_dark() ? "light" : "dark";
    state.emit("theme");
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => state.emit("theme"));
  // Paper is light.
  let chosen: string | undefined;
  addEventListener("beforeprint", () => {
    chosen = document.documentElement.dataset.theme;
    document.documentElement.dataset.theme = "light";
    state.emit("theme");
  });
  addEventListener("afterprint", () => {
    if (chosen) document.documentElement.dataset.theme = chosen;
    else delete document.documentElement.dataset.theme;
    state.emit("theme");
  });
  return button;
}

export class Page {
  private readonly first: RunData;
  private readonly second: RunData | null;
  private readonly runs: RunData[]; // those that are shown
  private readonly nav = h("nav", { "aria-label": "Sections" });
  private readonly keys = keys_dialog();
  private readonly plot_box = h("div", { class: "panels" });
  private panels: Panel[] = [];
  private difference = false;
  private view: View3d | null = null;
  private player: Player | null = null;
  private browser: ChannelBrowser | null = null;

  constructor(
    private readonly report: Report,
    private readonly root: HTMLElement,
  ) {
    const all = report.runs.map((run, i) => new RunData(run, i));
    this.first = all[0];
    this.second = report.kind === "comparison" && all.length > 1 ? all[1] : null;
    this.runs = this.second ? [this.first, this.second] : [this.first];
    state.begin = Math.min(...this.runs.map((run) => run.first));
    state.end = Math.max(...this.runs.map((run) => run.last));
    if (!(state.end > state.begin)) state.end = state.begin + 1;
    state.time = state.begin;

    this.head();
    this.section("mechanism", "Mechanism", () => this.mechanism());
    this.section("norms", "Differences", () => this.norms());
    this.section("plots", "Plots", () => this.plots());
    this.section("channels", "Channels", () => this.channels());
    this.section("numbers", "Numbers", () => this.of_runs((run) => numbers(run.run)));
    this.section("model", "Model", () =>
      this.of_runs((run) => model_text(run.run.model, run.run.source, run.run.summary?.settings ?? [])),
    );
    this.section("topology", "Topology", () => {
      const graph = topology(this.first, (name) => this.go_to_channels(name));
      return graph ? [graph] : null;
    });
    listen_to_keys(this.player, this.browser, this.keys);
  }

  /** A section that cannot be made leaves the others as they are. */
  private section(id: string, title: string, make: () => Node[] | null): void {
    let content: Node[] | null;
    try {
      content = make();
    } catch (error) {
      console.error(error);
      content = [h("p", { class: "message error" }, `This section cannot be shown: ${String(error)}`)];
    }
    if (!content) return;
    const element = h(
      "section",
      { id, "aria-labelledby": `${id}-title` },
      h("h2", { id: `${id}-title` }, title),
    );
    element.append(...content);
    this.root.append(element);
    this.nav.append(h("a", { href: `#${id}` }, title));
  }

  private head(): void {
    const { run } = this.first;
    const title = this.second ? `${run.name} compared with ${this.second.run.name}` : run.title || run.name;
    const keys = h("button", { type: "button", "aria-label": "Keys", title: "Keys (?)" }, "?");
    keys.addEventListener("click", () => this.keys.showModal());
    const tools = h("span", { class: "head-tools" }, keys, theme_button());
    const header = h("header", {}, h("div", { class: "head-row" }, h("h1", {}, title), tools));
    for (const each of this.runs) {
      if (this.second)
        header.append(h("p", { class: "run-name" }, h("strong", {}, each.run.name), ` ${each.run.title}`));
      header.append(facts(each.run, this.report.version), status(each.run));
    }
    this.root.append(header, this.keys, this.nav);
  }

  private of_runs(make: (run: RunData) => HTMLElement): Node[] {
    return this.runs.flatMap((run) => (this.second ? [h("h3", {}, run.run.name), make(run)] : [make(run)]));
  }

  private mechanism(): Node[] | null {
    const frames = this.first.run.motion?.frames ?? 0;
    if (!can_draw(this.first)) return null;
    if (!web_gl()) {
      this.player = new Player(null, frames);
      const text = "This browser offers no WebGL: the moving picture cannot be shown. Everything else works.";
      return [h("p", { class: "message note" }, text), this.player.element];
    }
    const view = (this.view = new View3d(this.first, this.second));
    this.player = new Player(view, frames);
    const chosen = h("p", { class: "chosen-body", hidden: true });
    view.on_select = (node) => this.chosen(view, node, chosen);
    const content: Node[] = [h("div", { class: "stage" }, view.element, this.player.element), chosen];
    const note = (text: string) => content.push(h("p", { class: "note" }, text));
    if (view.poses.layout)
      note(
        "Schematic: parts in a row by their distance from the ground. " +
          "Displacements and angles are to scale, distances at rest are not.",
      );
    if (this.second) {
      const other = view.has_ghost
        ? `Translucent: ${this.second.run.name}.`
        : "The other run has other parts.";
      note(`Solid: ${this.first.run.name}. ${other}`);
    }
    return content;
  }

  /** A body was clicked. */
  private chosen(view: View3d, node: number | null, place: HTMLElement): void {
    const body = view.mechanism.bodies.find((each) => each.node === node);
    place.hidden = !body;
    place.textContent = "";
    if (!body) return;
    const button = (text: string, click: () => void) => h("button", { type: "button", click }, text);
    place.append(h("strong", {}, body.name), ` ${body.component.type} `);
    place.append(button("channels", () => this.go_to_channels(body.name)));
    if (!view.poses.layout) place.append(button("follow", () => view.follow(body.node)));
    this.browser?.find(`${body.name}.*`);
  }

  private go_to_channels(component: string): void {
    this.browser?.find(`${component}.*`);
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    document.getElementById("channels")?.scrollIntoView({ behavior: calm ? "auto" : "smooth" });
  }

  private norms(): Node[] | null {
    const list = this.report.norms;
    return this.second && list?.length ? [norm_table(list, (name) => this.plot_channel(name))] : null;
  }

  private plot_channel(name: string): void {
    state.select([...state.selection, name]);
    document.getElementById("channels")?.scrollIntoView();
  }

  private curves(names: string[]): Curve[] {
    const { first, second } = this;
    return names.flatMap((channel, tint): Curve[] => {
      const having = this.runs.filter((run) => run.by_name.has(channel));
      if (second && this.difference && having.length === 2)
        return [
          { run: first, channel, label: `difference of ${channel}`, tint, dashed: false, minus: second },
        ];
      return having.map((run) => {
        const label = second ? `${channel} (${run.run.name})` : channel;
        return { run, channel, label, tint, dashed: run.index > 0 };
      });
    });
  }

  private thinned_note(): Node[] {
    const run = this.runs.find((each) => each.thinned);
    return run ? [h("p", { class: "note" }, `${count(run.run.rows)} rows shown as min/max of buckets.`)] : [];
  }

  private draw_plots(): void {
    this.panels.forEach((panel) => panel.destroy());
    this.panels = this.first.run.plots.flatMap((plot): Panel[] => {
      const curves = this.curves(plot.y);
      if (!plot.x || plot.x === "time") return time_panels(plot.title, curves);
      const own = curves.filter((curve) => !curve.minus && curve.run.by_name.has(plot.x));
      const units = [...new Set(own.map(unit_of))];
      return units.map((unit) => {
        const same = own.filter((curve) => unit_of(curve) === unit);
        return new XyPanel(plot.title, plot.x, same);
      });
    });
    this.plot_box.append(...this.panels.map((panel) => panel.element));
  }

  private plots(): Node[] | null {
    if (!this.first.run.plots.length) return null;
    this.draw_plots();
    if (!this.panels.length) return null;
    const content = [...this.thinned_note(), this.plot_box];
    if (!this.player && this.first.time.length > 1) {
      this.player = new Player(null, this.first.time.length);
      content.unshift(this.player.element);
    }
    return content;
  }

  private channels(): Node[] {
    const { second } = this;
    const { run } = this.first;
    const common = run.channels.filter((channel) => !second || second.by_name.has(channel.name));
    const switch_difference = toggle("difference", "Plot the first run minus the second", (on) => {
      this.difference = on;
      this.draw_plots();
      this.browser?.redraw();
    });
    const components = run.scene?.components.map((component) => component.name) ?? [];
    this.browser = new ChannelBrowser(
      common,
      components,
      (names) => this.curves(names),
      second ? [switch_difference] : [],
    );
    const many = `${count(common.length)} channels ${second ? "in both runs" : "recorded"}.`;
    return [
      h("p", { class: "note" }, many),
      this.browser.element,
      ...(this.panels.length ? [] : this.thinned_note()),
    ];
  }

  /** What tests want to know. */
  get probe(): Record<string, unknown> {
    const page = this;
    const plots = () =>
      [...document.querySelectorAll<HTMLElement & { panel?: Panel }>("figure.panel")]
        .map((figure) => figure.panel)
        .filter((panel): panel is TimePanel => panel instanceof TimePanel);
    return {
      get time() {
        return state.time;
      },
      get range() {
        return state.range ?? [state.begin, state.end];
      },
      get plotted() {
        return [...state.selection];
      },
      get listed() {
        return page.browser?.shown ?? 0;
      },
      get playing() {
        return page.player?.playing ?? false;
      },
      get picture() {
        return page.view !== null;
      },
      get cursors() {
        return plots().map((panel) => panel.cursor_left);
      },
      get ranges() {
        return plots().map((panel) => panel.range);
      },
    };
  }
}
