// What the run took, and how good its numbers are.
import uPlot from "uplot";
import type { History, Run, Summary, Warning } from "./data";
import { css_colour, h } from "./dom";
import { colour } from "./palette";
import { Panel } from "./plots";
import { state } from "./state";
import { axis_label, count, number, quantity, scale_for, tick } from "./units";

/** Lines over time from plain arrays, for the history of the steps. */
class HistoryPanel extends Panel {
  private plot: uPlot | null = null;
  constructor(
    title: string,
    private readonly time: number[],
    private readonly lines: { name: string; values: number[] }[],
    private readonly unit: string,
    private readonly log: boolean,
  ) {
    super(title);
    this.area.style.minHeight = "150px";
    const legend = h("div", { class: "legend" });
    lines.forEach((line, i) => {
      const swatch = h("span", { class: "swatch" });
      const paint = () => (swatch.style.borderTopColor = colour(i));
      paint();
      this.listen("theme", paint);
      legend.append(h("span", { class: "legend-item" }, swatch, line.name));
    });
    this.element.append(legend);
  }
  protected draw(width: number): void {
    if (this.plot || width < 40) return;
    let largest = 0;
    for (const line of this.lines) for (const v of line.values) if (v > largest) largest = v;
    const scale = scale_for(this.unit, largest);
    const x = scale_for("s", Math.abs(state.end));
    const grid = { stroke: css_colour("--grid"), width: 1 };
    const font = "11px system-ui, sans-serif";
    const common = {
      stroke: css_colour("--muted"),
      font,
      labelFont: font,
      grid,
      ticks: { ...grid, size: 4 },
      gap: 4,
    };
    const step_path = uPlot.paths.stepped?.({ align: -1 });
    this.plot = new uPlot(
      {
        width,
        height: 150,
        padding: [8, 14, 0, 0],
        legend: { show: false },
        cursor: { show: false },
        scales: {
          x: { time: false, range: [state.begin, state.end] },
          y: this.log ? { distr: 3 } : { range: (_, __, high) => [0, high > 0 ? 1.1 * high : 1] },
        },
        axes: [
          {
            ...common,
            label: axis_label("time", x.unit),
            labelSize: 18,
            labelGap: 0,
            size: 26,
            values: (_, splits, __, ___, step) => splits.map((v) => tick(v * x.factor, step * x.factor)),
          },
          {
            ...common,
            label: this.unit === "1" ? "" : axis_label("step", scale.unit),
            labelSize: this.unit === "1" ? 4 : 20,
            labelGap: 0,
            size: (_, values) =>
              Math.max(44, 14 + 6.6 * Math.max(0, ...(values ?? []).map((v) => (v ?? "").length))),
            values: (_, splits, __, ___, step) =>
              splits.map((v) =>
                v === null
                  ? null
                  : this.log
                    ? number(v * scale.factor, 2)
                    : tick(v * scale.factor, step * scale.factor),
              ) as string[],
          },
        ],
        series: [
          {},
          ...this.lines.map((_, i) => ({
            stroke: colour(i),
            width: 1.4,
            points: { show: false },
            ...(step_path ? { paths: step_path } : {}),
          })),
        ],
      },
      [
        this.time,
        ...this.lines.map((line) => (this.log ? line.values.map((v) => (v > 0 ? v : null)) : line.values)),
      ] as uPlot.AlignedData,
      this.area,
    );
  }
  protected clear(): void {
    this.plot?.destroy();
    this.plot = null;
  }
  protected moved(): void {}
  protected ranged(): void {}
  protected resized(width: number): void {
    if (this.plot) this.plot.setSize({ width, height: 150 });
    else this.rebuild();
  }
}

/** At most so many buckets, for a small plot. */
function coarser(history: History, most: number): History {
  const each = Math.ceil(history.time.length / most);
  if (each < 2) return history;
  const merge = (values: number[], how: (part: number[]) => number) =>
    Array.from({ length: Math.ceil(values.length / each) }, (_, i) =>
      how(values.slice(i * each, (i + 1) * each)),
    );
  const largest = (part: number[]) => Math.max(...part);
  return {
    time: merge(history.time, largest),
    smallest_step: merge(history.smallest_step, (part) => Math.min(...part)),
    largest_step: merge(history.largest_step, largest),
    iterations: merge(history.iterations, largest),
    factorizations: merge(history.factorizations, (part) => part.reduce((sum, v) => sum + v, 0)),
  };
}

function history_panels(all: History): HTMLElement {
  const history = coarser(all, 160);
  const step_min = Math.min(...history.smallest_step.filter((v) => v > 0));
  const step_max = Math.max(...history.largest_step);
  const log = step_max > 30 * step_min;
  const box = h("div", { class: "panels small" });
  box.append(
    new HistoryPanel(
      "Step size",
      history.time,
      [
        { name: "largest", values: history.largest_step },
        { name: "smallest", values: history.smallest_step },
      ],
      "s",
      log,
    ).element,
    new HistoryPanel(
      "Newton",
      history.time,
      [
        { name: "iterations of a step, at most", values: history.iterations },
        { name: "factorisations in that time", values: history.factorizations },
      ],
      "1",
      false,
    ).element,
  );
  return box;
}

type Row = [string, string, string?];

function table(title: string, rows: Row[]): HTMLElement {
  const body = h("tbody");
  for (const [name, value, more] of rows) {
    const cell = h("td", {}, value);
    if (more) cell.append(h("span", { class: "muted" }, ` ${more}`));
    body.append(h("tr", {}, h("th", { scope: "row" }, name), cell));
  }
  return h("table", { class: "numbers" }, h("caption", {}, title), body);
}

const words = (name: string) => name.replace(/_/g, " ");

function tables(s: Summary): HTMLElement {
  const per_step = s.steps ? s.newton_iterations / s.steps : 0;
  const box = h("div", { class: "number-tables" });
  const sizes = s.step_sizes ?? [];
  box.append(
    table("Run", [
      ["simulated", quantity(s.simulated_seconds, "s")],
      ["wall time", quantity(s.wall_seconds, "s", 3)],
      ["real-time factor", `${number(s.real_time_factor, 3)}×`],
      [
        "steps",
        count(s.steps),
        sizes.length
          ? `of ${sizes
              .slice(0, 3)
              .map((v) => quantity(v, "s", 3))
              .join(", ")}${sizes.length > 3 ? " …" : ""}`
          : "",
      ],
      ["rejected", count(s.rejected_steps)],
      ["Newton iterations", count(s.newton_iterations), `${number(per_step, 3)} per step`],
      ["factorisations", count(s.factorizations)],
      ["events", count(s.event_count)],
      ["rows recorded", count(s.rows), `of ${count(s.channels)} channels`],
    ]),
  );
  const unknowns = Object.entries(s.unknowns ?? {}).filter(([, n]) => n);
  box.append(
    table("System", [
      ["components", count(s.components)],
      ...unknowns.map(([kind, n]): Row => [`unknowns: ${words(kind)}`, count(n)]),
      ["constraints", s.constraints || "–"],
    ]),
  );
  box.append(
    table("Accuracy", [
      ["constraint violation", number(s.largest_constraint_violation, 3), s.most_violated],
      ["… of its rate", number(s.largest_velocity_violation, 3), s.most_violated_velocity],
      ...(s.energy
        ? ([
            ["energy at the start", quantity(s.energy.start, "J")],
            ["energy at the end", quantity(s.energy.end, "J")],
            ["supplied", quantity(s.energy.supplied, "J")],
            ["dissipated", quantity(s.energy.dissipated, "J")],
            [
              "error of the balance",
              quantity(s.energy.error, "J", 3),
              s.energy.largest > 0 ? `${number(s.energy.error / s.energy.largest, 2)} of the largest` : "",
            ],
          ] as Row[])
        : []),
    ]),
  );
  box.append(
    table("Scheme", [
      ["scheme", s.scheme],
      ...Object.entries(s.scheme_parameters ?? {}).map(([name, v]): Row => [words(name), number(v, 4)]),
      ["version", s.version],
      ["model", s.model_hash],
    ]),
  );
  return box;
}

export function numbers(run: Run): HTMLElement {
  const box = h("div");
  if (run.summary) box.append(tables(run.summary));
  else box.append(h("p", { class: "note" }, "The run has not ended, or was killed: there is no summary."));
  if (run.history && run.history.time.length > 1) box.append(history_panels(run.history));
  return box;
}

/** Above everything: how it went. */
export function status(run: Run): HTMLElement {
  const box = h("div", { class: "status" });
  const s = run.summary;
  if (!s) {
    box.append(
      h(
        "div",
        { class: "message warning" },
        h("strong", {}, "not ended "),
        "No summary was found: the run is going on, or was killed.",
      ),
    );
    return box;
  }
  if (s.status === "interrupted")
    box.append(
      h(
        "div",
        { class: "message warning" },
        h("strong", {}, "interrupted "),
        `at ${quantity(s.simulated_seconds, "s")}`,
      ),
    );
  if (s.status === "failed" || s.error) {
    const e = s.error;
    const message = h("div", { class: "message error", role: "alert" }, h("strong", {}, "failed "));
    if (e) {
      message.append(h("code", {}, e.code), ` ${e.message}`);
      if (e.time !== undefined && e.time !== null) message.append(` (at ${quantity(e.time, "s")})`);
      if (e.hint) message.append(h("p", { class: "hint" }, e.hint));
    }
    box.append(message);
  }
  const list = (kind: string, told: (Warning | string)[]) => {
    for (const one of told.slice(0, 20))
      box.append(beside(kind, typeof one === "string" ? { message: one } : one));
    if (told.length > 20) box.append(h("p", { class: "note" }, `${told.length - 20} more`));
  };
  list("warning", s.warnings ?? []);
  list("note", s.notes ?? []);
  return box;
}

/** A warning or note. */
function beside(kind: string, told: Partial<Warning>): HTMLElement {
  const box = h("div", { class: `message ${kind}` }, h("strong", {}, `${kind} `));
  if (told.code) box.append(h("code", {}, told.code), " ");
  box.append(told.message ?? "");
  if (told.hint) box.append(h("p", { class: "hint" }, told.hint));
  return box;
}

/** One line of facts under the title. */
export function facts(run: Run, version: string): HTMLElement {
  const s = run.summary;
  const line = h("p", { class: "facts" });
  const put = (text: string, kind = "") => line.append(h("span", kind ? { class: kind } : {}, text));
  if (s) {
    put(s.status, `badge ${s.status}`);
    put(`${quantity(s.simulated_seconds, "s")} simulated in ${quantity(s.wall_seconds, "s", 3)}`);
    put(`${count(s.components)} components`);
    put(`${count(s.steps)} steps`);
    put(s.scheme);
  } else put("not ended", "badge interrupted");
  put(`Escapement ${version}`);
  return line;
}
