// Plots over time: one time, one visible range and one cursor in all of them.
import uPlot from "uplot";
import { type RunData } from "./decode";
import { css_colour, h, toggle } from "./dom";
import { colour } from "./palette";
import { spectrum } from "./spectrum";
import { state } from "./state";
import { axis_label, axis_name, number, quantity, scale_for, tick, type Scale } from "./units";

/** A channel of a run in a plot; with `minus`, the difference of the two. */
export interface Curve {
  run: RunData;
  channel: string;
  label: string;
  tint: number;
  dashed: boolean;
  minus?: RunData;
}

const font = '11px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif';

export function unit_of(curve: Curve): string {
  return curve.run.by_name.get(curve.channel)?.unit ?? "1";
}

function value_at(curve: Curve, t: number): number {
  const value = curve.run.at(curve.channel, t);
  return curve.minus ? value - curve.minus.at(curve.channel, t) : value;
}

function data_of(curve: Curve): Float64Array {
  const values = curve.run.values(curve.channel);
  if (!curve.minus) return values;
  const other = curve.minus;
  return values.map((value, i) => value - other.at(curve.channel, curve.run.time[i]));
}

/** Enough to see changes that are small against the value. */
function digits(curve: Curve): number {
  const channel = curve.run.by_name.get(curve.channel);
  const span = channel ? channel.max - channel.min : 0;
  if (!channel || !(span > 0) || curve.minus) return 5;
  const large = Math.max(Math.abs(channel.max), Math.abs(channel.min));
  return Math.min(9, Math.max(5, 4 + Math.ceil(Math.log10(large / span))));
}

function magnitude(curves: Curve[]): number {
  let largest = 0;
  for (const curve of curves) {
    const channel = curve.run.by_name.get(curve.channel);
    if (curve.minus) {
      for (const value of data_of(curve)) if (Math.abs(value) > largest) largest = Math.abs(value);
    } else if (channel) {
      largest = Math.max(largest, Math.abs(channel.min ?? 0), Math.abs(channel.max ?? 0));
    }
  }
  return largest;
}

/** All panels draw themselves when they come near the window, and before printing. */
const near = new IntersectionObserver(
  (entries) => {
    for (const entry of entries)
      (entry.target as HTMLElement & { panel?: Panel }).panel?.show(entry.isIntersecting);
  },
  { rootMargin: "300px" },
);
const panels = new Set<Panel>();
addEventListener("beforeprint", () => panels.forEach((panel) => panel.show(true)));

abstract class Panel {
  readonly element: HTMLElement;
  protected readonly area = h("div", { class: "plot-area" });
  protected readonly tools = h("span", { class: "tools" });
  protected visible = false;
  private readonly undo: (() => void)[] = [];
  private readonly resize: ResizeObserver;
  private width = 0;

  constructor(title: string) {
    this.element = h(
      "figure",
      { class: "panel" },
      h("figcaption", {}, h("span", { class: "panel-title" }, title), this.tools),
      this.area,
    );
    (this.element as HTMLElement & { panel?: Panel }).panel = this;
    near.observe(this.element);
    panels.add(this);
    this.resize = new ResizeObserver(() => {
      const width = Math.floor(this.area.clientWidth);
      if (width && width !== this.width) {
        this.width = width;
        if (this.visible) this.resized(width);
      }
    });
    this.resize.observe(this.area);
    this.listen("time", () => this.visible && this.moved());
    this.listen("hover", () => this.visible && this.moved());
    this.listen("range", () => this.ranged());
    this.listen("theme", () => this.rebuild());
  }

  protected listen(topic: Parameters<typeof state.on>[0], listener: () => void): void {
    this.undo.push(state.on(topic, listener));
  }
  show(on: boolean): void {
    const first = on && !this.visible;
    this.visible = on;
    if (first) {
      this.width = Math.floor(this.area.clientWidth);
      this.draw(this.width);
      this.moved();
    }
  }
  rebuild(): void {
    this.clear();
    if (this.visible) {
      this.draw(Math.floor(this.area.clientWidth));
      this.moved();
    }
  }
  destroy(): void {
    this.undo.forEach((off) => off());
    near.unobserve(this.element);
    this.resize.disconnect();
    panels.delete(this);
    this.clear();
    this.element.remove();
  }
  protected abstract draw(width: number): void;
  protected abstract clear(): void;
  protected abstract moved(): void;
  protected abstract ranged(): void;
  protected abstract resized(width: number): void;
}

export { Panel };

/** Curves in one or two units over time, or their spectra. */
export class TimePanel extends Panel {
  private plot: uPlot | null = null;
  private readonly line = h("div", { class: "time-line" });
  private readonly tip = h("div", { class: "event-tip", hidden: true });
  private readonly legend = h("div", { class: "legend" });
  private readonly shown_values: HTMLElement[] = [];
  private readonly units: string[];
  private readonly scales: Scale[];
  private readonly x_scale: Scale;
  private logarithmic = false;
  private spectral = false;
  private pressed = 0;
  private pending = 0;
  private inner = false;

  constructor(
    title: string,
    readonly curves: Curve[],
    private readonly height = 220,
  ) {
    super(title);
    this.units = [...new Set(curves.map(unit_of))].slice(0, 2);
    this.scales = this.units.map((unit) => scale_for(unit, magnitude(this.of_unit(unit))));
    this.x_scale = scale_for("s", Math.max(Math.abs(state.begin), Math.abs(state.end)));
    this.tools.append(
      toggle("log", "Logarithmic vertical axis, of magnitudes", (on) => {
        this.logarithmic = on;
        this.rebuild();
      }),
      toggle("spectrum", "Amplitude spectrum of the visible part", (on) => {
        this.spectral = on;
        this.rebuild();
      }),
    );
    this.area.style.minHeight = `${height}px`;
    for (const curve of curves) {
      const value = h("span", { class: "legend-value" });
      this.shown_values.push(value);
      const swatch = h("span", { class: curve.dashed ? "swatch dashed" : "swatch" });
      swatch.style.borderTopColor = colour(curve.tint);
      this.legend.append(
        h(
          "span",
          { class: "legend-item" },
          swatch,
          h(
            "span",
            { class: "legend-name" },
            this.units.indexOf(unit_of(curve)) === 1 ? `${curve.label} (right)` : curve.label,
          ),
          value,
        ),
      );
    }
    this.listen("theme", () =>
      this.legend
        .querySelectorAll<HTMLElement>(".swatch")
        .forEach((swatch, i) => (swatch.style.borderTopColor = colour(curves[i].tint))),
    );
    this.element.append(this.legend);
  }

  private of_unit(unit: string): Curve[] {
    return this.curves.filter((curve) => unit_of(curve) === unit);
  }
  get range(): [number, number] | null {
    const x = this.plot?.scales.x;
    return x && x.min !== undefined && x.max !== undefined ? [x.min, x.max] : null;
  }
  get cursor_left(): number {
    return this.plot?.cursor.left ?? -1;
  }

  private table(): uPlot.AlignedData {
    if (this.spectral) {
      const [from, to] = state.range ?? [state.begin, state.end];
      const all = this.curves.map((curve) => {
        const values = curve.minus ? data_of(curve) : curve.run.path(curve.channel);
        return spectrum(curve.minus ? curve.run.time : curve.run.path_time, values, from, to);
      });
      const found = all.find((s) => s);
      if (!found) return [[1, 10], ...this.curves.map(() => [null, null])] as uPlot.AlignedData;
      const same = all.every((s) => s && s.frequency.length === found.frequency.length);
      const positive = (v: number) => (v > 0 ? v : null);
      if (same)
        return [found.frequency, ...all.map((s) => Array.from(s!.amplitude, positive))] as uPlot.AlignedData;
      return uPlot.join(
        all.map(
          (s) => [s?.frequency ?? [1], s ? Array.from(s.amplitude, positive) : [null]] as uPlot.AlignedData,
        ),
      );
    }
    const shape = (values: Float64Array): ArrayLike<number | null> =>
      this.logarithmic ? Array.from(values, (v) => (v !== 0 ? Math.abs(v) : null)) : values;
    const first = this.curves[0].run.time;
    const one_time = this.curves.every((curve) => {
      const time = curve.run.time;
      return time === first || (time.length === first.length && time.every((t, i) => t === first[i]));
    });
    if (one_time)
      return [first, ...this.curves.map((curve) => shape(data_of(curve)))] as unknown as uPlot.AlignedData;
    return uPlot.join(
      this.curves.map(
        (curve) =>
          [Array.from(curve.run.time), Array.from(shape(data_of(curve)))] as unknown as uPlot.AlignedData,
      ),
    );
  }

  protected draw(width: number): void {
    if (this.plot || width < 40) return;
    const text = css_colour("--muted");
    const grid = { stroke: css_colour("--grid"), width: 1 };
    const log = this.logarithmic || this.spectral;
    const x = this.spectral ? { factor: 1, unit: "Hz" } : this.x_scale;
    const common = { stroke: text, font, labelFont: font, ticks: { ...grid, size: 4 }, gap: 4 };
    const log_values = (factor: number) => (_: uPlot, splits: (number | null)[]) =>
      splits.map((v) => (v === null ? null : number(v * factor, 2)));
    const plain_values =
      (factor: number) => (_: uPlot, splits: number[], __: number, ___: number, step: number) =>
        splits.map((v) => tick(v * factor, step * factor));
    const log_range: uPlot.Range.Function = (_, low, high) => {
      if (!(high > 0)) return [1e-3, 1];
      return uPlot.rangeLog(Math.max(low, high * (this.spectral ? 1e-7 : 1e-12)), high, 10, true);
    };
    const axes: uPlot.Axis[] = [
      {
        ...common,
        grid,
        label: axis_label(this.spectral ? "frequency" : "time", x.unit),
        labelSize: 18,
        labelGap: 0,
        size: 26,
        values: (this.spectral ? log_values(1) : plain_values(x.factor)) as uPlot.Axis.Values,
      },
    ];
    const scales: uPlot.Scales = {
      x: this.spectral
        ? { time: false, distr: 3 }
        : { time: false, auto: false, range: () => state.range ?? [state.begin, state.end] },
    };
    this.units.forEach((unit, i) => {
      const scale = this.scales[i];
      const key = i ? "right" : "left";
      scales[key] = log ? { distr: 3, range: log_range } : {};
      const names = this.of_unit(unit).map((curve) => curve.channel);
      let name = axis_name(names, unit);
      if (this.of_unit(unit)[0].minus) name = name ? `difference of ${name}` : "difference";
      if (this.spectral) name = name ? `amplitude of ${name}` : "amplitude";
      else if (this.logarithmic) name = name ? `|${name}|` : "magnitude";
      axes.push({
        ...common,
        scale: key,
        side: i ? 1 : 3,
        grid: i ? { show: false } : grid,
        label: axis_label(name, scale.unit),
        labelSize: 20,
        labelGap: 0,
        size: (_, values) =>
          Math.max(44, 14 + 6.6 * Math.max(0, ...(values ?? []).map((v) => (v ?? "").length))),
        values: (log ? log_values(scale.factor) : plain_values(scale.factor)) as uPlot.Axis.Values,
      });
    });
    const options: uPlot.Options = {
      width,
      height: this.height,
      padding: [8, this.units.length > 1 ? 0 : 14, 0, 0],
      legend: { show: false },
      scales,
      axes,
      series: [
        {},
        ...this.curves.map((curve): uPlot.Series => {
          const series: uPlot.Series = {
            scale: this.units.indexOf(unit_of(curve)) === 1 ? "right" : "left",
            stroke: colour(curve.tint),
            width: 1.6,
            // Off the grid of pixels lines are smooth, but are no longer merged by column.
            pxAlign: curve.run.time.length < 8000 ? 0 : 1,
            points: { show: false },
            spanGaps: true,
          };
          if (curve.dashed) series.dash = [6, 4];
          return series;
        }),
      ],
      cursor: {
        drag: { x: true, y: false, setScale: false },
        points: { size: 6 },
        bind: {
          dblclick: () => () => {
            if (!this.spectral) state.set_range(null);
            return null;
          },
        },
      },
      hooks: {
        draw: [(u) => this.draw_events(u)],
        setSize: [() => this.place_line()],
        setScale: [() => this.place_line()],
        setCursor: [(u) => this.hovered(u)],
        setSelect: [(u) => this.selected(u)],
      },
    };
    this.plot = new uPlot(options, this.table(), this.area);
    this.plot.over.append(this.line, this.tip);
    this.plot.over.addEventListener("mousedown", (event) => (this.pressed = event.clientX));
    this.plot.over.addEventListener("mouseleave", () => state.set_hover(null));
    this.plot.over.addEventListener("click", (event) => {
      if (this.plot && !this.spectral && Math.abs(event.clientX - this.pressed) < 4)
        state.set_time(this.plot.posToVal(event.offsetX, "x"));
    });
    this.place_line();
  }

  private draw_events(u: uPlot): void {
    const events = this.curves[0]?.run.run.summary?.events;
    if (this.spectral || !events?.length) return;
    const { left, top, width, height } = u.bbox;
    u.ctx.save();
    u.ctx.fillStyle = css_colour("--event");
    for (const event of events) {
      const x = u.valToPos(event.time, "x", true);
      if (x < left || x > left + width) continue;
      u.ctx.fillRect(Math.round(x) - 1, top + height - 9 * devicePixelRatio, 2, 9 * devicePixelRatio);
    }
    u.ctx.restore();
  }

  private hovered(u: uPlot): void {
    const left = u.cursor.left ?? -1;
    if (!this.inner && !this.spectral && u.cursor.event) {
      this.inner = true;
      state.set_hover(left >= 0 ? u.posToVal(left, "x") : null);
      this.inner = false;
    }
    const events = this.curves[0]?.run.run.summary?.events ?? [];
    const close =
      left < 0 || this.spectral ? [] : events.filter((e) => Math.abs(u.valToPos(e.time, "x") - left) < 5);
    this.tip.hidden = !close.length;
    if (close.length) {
      const more = close.length > 3 ? ` and ${close.length - 3} more` : "";
      const what = close
        .slice(0, 3)
        .map((e) => `${e.what} at ${quantity(e.time, "s", 6)}`)
        .join("; ");
      this.tip.textContent = what + more;
      this.tip.style.left = `${Math.min(left + 8, Math.max(0, u.over.clientWidth - 190))}px`;
    }
  }

  private selected(u: uPlot): void {
    const { left, width } = u.select;
    if (width < 5) return;
    u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    if (this.spectral) return;
    const from = Math.max(state.begin, u.posToVal(left, "x"));
    const to = Math.min(state.end, u.posToVal(left + width, "x"));
    if (to > from) state.set_range([from, to]);
  }

  private place_line(): void {
    if (!this.plot) return;
    const x = this.plot.valToPos(state.time, "x");
    const out = this.spectral || !(x >= 0 && x <= this.plot.over.clientWidth);
    this.line.style.visibility = out ? "hidden" : "visible";
    if (!out) this.line.style.transform = `translateX(${x.toFixed(1)}px)`;
  }

  protected moved(): void {
    this.place_line();
    if (this.plot && !this.inner && !this.spectral) {
      this.inner = true;
      const left = state.hover === null ? -10 : this.plot.valToPos(state.hover, "x");
      this.plot.setCursor({ left, top: left < 0 ? -10 : 10 }, true);
      this.inner = false;
    }
    const t = state.hover ?? state.time;
    this.curves.forEach((curve, i) => {
      const unit = unit_of(curve);
      const scale = this.scales[this.units.indexOf(unit)] ?? { factor: 1, unit: "" };
      const text = number(value_at(curve, t) * scale.factor, digits(curve));
      this.shown_values[i].textContent = scale.unit ? `${text} ${scale.unit}` : text;
    });
  }

  protected ranged(): void {
    if (!this.plot) return;
    if (this.spectral) {
      clearTimeout(this.pending);
      this.pending = window.setTimeout(() => this.plot && this.plot.setData(this.table()), 150);
      return;
    }
    const [min, max] = state.range ?? [state.begin, state.end];
    this.plot.setScale("x", { min, max });
    this.place_line();
  }
  protected resized(width: number): void {
    if (this.plot) this.plot.setSize({ width, height: this.height });
    else this.rebuild();
  }
  protected clear(): void {
    this.plot?.destroy();
    this.plot = null;
  }
}

/** One panel if there are at most two units, else one for each. */
export function time_panels(title: string, curves: Curve[]): TimePanel[] {
  const units = [...new Set(curves.map(unit_of))];
  if (!curves.length) return [];
  if (units.length <= 2) return [new TimePanel(title, curves)];
  return units.map((unit) => {
    const own = curves.filter((curve) => unit_of(curve) === unit);
    const name = axis_name(
      own.map((curve) => curve.channel),
      unit,
    );
    return new TimePanel(name ? `${title}: ${name}` : title, own);
  });
}
