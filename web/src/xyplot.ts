// One channel over another: drawn here, as such a curve may turn back.
import { css_colour, h } from "./dom";
import { colour } from "./palette";
import { Panel, unit_of, type Curve } from "./plots";
import { state } from "./state";
import { axis_label, axis_name, number, scale_for, tick, type Scale } from "./units";

interface Trace {
  curve: Curve;
  x: Float64Array;
  y: Float64Array;
  times: Float64Array;
}
type Box = [number, number, number, number]; // x from, to; y from, to

/** A round distance of ticks. */
export function round_step(span: number, most: number): number {
  const raw = span / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(raw));
  for (const m of [1, 2, 5]) if (m * power >= raw) return m * power;
  return 10 * power;
}

function limits(arrays: Float64Array[]): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const array of arrays)
    for (const v of array) {
      if (v < low) low = v;
      if (v > high) high = v;
    }
  if (!(high >= low)) return [0, 1];
  const pad = high > low ? 0.06 * (high - low) : Math.max(1e-12, 0.1 * Math.abs(high));
  return [low - pad, high + pad];
}

export class XyPanel extends Panel {
  private readonly canvas = h("canvas", { class: "xy", role: "img" });
  private readonly mark_layer = h("canvas", { class: "xy xy-marks" });
  private readonly box_element = h("div", { class: "zoom-box", hidden: true });
  private readonly legend = h("div", { class: "legend" });
  private readonly shown: HTMLElement[] = [];
  private traces: Trace[] = [];
  private readonly x_scale: Scale;
  private readonly y_scale: Scale;
  private readonly equal: boolean;
  private zoom: Box | null = null;
  private whole: Box = [0, 1, 0, 1];
  private view: Box = [0, 1, 0, 1];
  private drawn_width = 0;
  private height = 320;
  private readonly gutter = { left: 66, right: 14, top: 10, bottom: 44 };

  constructor(
    title: string,
    private readonly x: string,
    private readonly curves: Curve[],
  ) {
    super(title);
    this.area.classList.add("xy-area");
    this.area.append(this.canvas, this.mark_layer, this.box_element);
    this.element.append(this.legend);
    this.canvas.setAttribute("aria-label", `${title}: ${curves.map((c) => c.label).join(", ")} over ${x}`);
    const x_unit = curves[0].run.by_name.get(x)?.unit ?? "1";
    const y_unit = unit_of(curves[0]);
    this.equal = x_unit === y_unit && x_unit === "m";
    this.traces = curves.map((curve) => ({
      curve,
      x: curve.run.path(x),
      y: curve.run.path(curve.channel),
      times: curve.run.path_time,
    }));
    const xs = limits(this.traces.map((trace) => trace.x));
    const ys = limits(this.traces.map((trace) => trace.y));
    this.whole = [...xs, ...ys];
    const size = (l: number[]) => Math.max(Math.abs(l[0]), Math.abs(l[1]));
    this.x_scale = scale_for(x_unit, this.equal ? Math.max(size(xs), size(ys)) : size(xs));
    this.y_scale = this.equal ? this.x_scale : scale_for(y_unit, size(ys));
    for (const curve of curves) {
      const value = h("span", { class: "legend-value" });
      const swatch = h("span", { class: curve.dashed ? "swatch dashed" : "swatch" });
      swatch.style.borderTopColor = colour(curve.tint);
      this.shown.push(value);
      this.legend.append(
        h("span", { class: "legend-item" }, swatch, h("span", { class: "legend-name" }, curve.label), value),
      );
    }
    this.pointers();
  }

  private inner(): { left: number; top: number; width: number; height: number } {
    const { left, right, top, bottom } = this.gutter;
    return { left, top, width: this.drawn_width - left - right, height: this.height - top - bottom };
  }
  private px(x: number): number {
    const { left, width } = this.inner();
    return left + ((x - this.view[0]) / (this.view[1] - this.view[0])) * width;
  }
  private py(y: number): number {
    const { top, height } = this.inner();
    return top + (1 - (y - this.view[2]) / (this.view[3] - this.view[2])) * height;
  }

  private size_canvas(canvas: HTMLCanvasElement): CanvasRenderingContext2D | null {
    const ratio = devicePixelRatio || 1;
    canvas.width = Math.round(this.drawn_width * ratio);
    canvas.height = Math.round(this.height * ratio);
    canvas.style.width = `${this.drawn_width}px`;
    canvas.style.height = `${this.height}px`;
    const context = canvas.getContext("2d");
    context?.scale(ratio, ratio);
    return context;
  }

  protected draw(width: number): void {
    if (width < 60) return;
    this.drawn_width = width;
    this.view = [...(this.zoom ?? this.whole)];
    const shape = (this.whole[3] - this.whole[2]) / (this.whole[1] - this.whole[0]);
    const wanted = this.equal ? shape * (width - this.gutter.left - this.gutter.right) + 54 : 300;
    this.height = Math.round(Math.min(Math.max(wanted, 260), Math.min(400, 0.8 * width + 60)));
    const area = this.inner();
    if (this.equal) {
      const per_x = (this.view[1] - this.view[0]) / area.width;
      const per_y = (this.view[3] - this.view[2]) / area.height;
      const per = Math.max(per_x, per_y);
      const grow = (from: number, to: number, pixels: number): [number, number] => {
        const middle = 0.5 * (from + to);
        return [middle - 0.5 * per * pixels, middle + 0.5 * per * pixels];
      };
      this.view = [
        ...grow(this.view[0], this.view[1], area.width),
        ...grow(this.view[2], this.view[3], area.height),
      ];
    }
    const c = this.size_canvas(this.canvas);
    this.size_canvas(this.mark_layer);
    if (!c) return;
    c.font = getComputedStyle(document.body).fontFamily
      ? `11px ${getComputedStyle(document.body).fontFamily}`
      : "11px sans-serif";
    c.lineWidth = 1;
    const grid = css_colour("--grid");
    const text = css_colour("--muted");
    const ticks = (from: number, to: number, scale: Scale, pixels: number, each: number) => {
      const step = round_step((to - from) * scale.factor, pixels / each);
      const out: { at: number; text: string }[] = [];
      for (let k = Math.ceil((from * scale.factor) / step); k * step <= to * scale.factor; ++k)
        out.push({ at: (k * step) / scale.factor, text: tick(k * step, step) });
      return out;
    };
    c.textAlign = "center";
    c.textBaseline = "top";
    for (const t of ticks(this.view[0], this.view[1], this.x_scale, area.width, 70)) {
      c.fillStyle = grid;
      c.fillRect(Math.round(this.px(t.at)), area.top, 1, area.height + 4);
      c.fillStyle = text;
      c.fillText(t.text, this.px(t.at), area.top + area.height + 7);
    }
    c.textAlign = "right";
    c.textBaseline = "middle";
    for (const t of ticks(this.view[2], this.view[3], this.y_scale, area.height, 45)) {
      c.fillStyle = grid;
      c.fillRect(area.left - 4, Math.round(this.py(t.at)), area.width + 4, 1);
      c.fillStyle = text;
      c.fillText(t.text, area.left - 8, this.py(t.at));
    }
    c.fillStyle = text;
    c.textAlign = "center";
    c.fillText(axis_label(this.x, this.x_scale.unit), area.left + area.width / 2, this.height - 8);
    c.save();
    c.translate(9, area.top + area.height / 2);
    c.rotate(-Math.PI / 2);
    const names = this.curves.map((curve) => curve.channel);
    const name = names.length === 1 ? names[0] : axis_name(names, unit_of(this.curves[0]));
    c.fillText(axis_label(name, this.y_scale.unit), 0, 0);
    c.restore();
    c.save();
    c.beginPath();
    c.rect(area.left, area.top, area.width, area.height);
    c.clip();
    c.lineWidth = 1.6;
    c.lineJoin = "round";
    for (const trace of this.traces) {
      c.strokeStyle = colour(trace.curve.tint);
      c.setLineDash(trace.curve.dashed ? [6, 4] : []);
      c.beginPath();
      let last_x = NaN;
      let last_y = NaN;
      for (let i = 0; i < trace.x.length; ++i) {
        const x = this.px(trace.x[i]);
        const y = this.py(trace.y[i]);
        if (Math.abs(x - last_x) < 0.4 && Math.abs(y - last_y) < 0.4) continue;
        if (i) c.lineTo(x, y);
        else c.moveTo(x, y);
        last_x = x;
        last_y = y;
      }
      c.stroke();
    }
    c.restore();
    this.legend
      .querySelectorAll<HTMLElement>(".swatch")
      .forEach((swatch, i) => (swatch.style.borderTopColor = colour(this.curves[i].tint)));
  }

  protected moved(): void {
    const c = this.mark_layer.getContext("2d");
    if (!c || !this.drawn_width) return;
    c.clearRect(0, 0, this.drawn_width, this.height);
    const t = state.hover ?? state.time;
    this.traces.forEach((trace, i) => {
      const x = trace.curve.run.at(this.x, t);
      const y = trace.curve.run.at(trace.curve.channel, t);
      const show = (v: number, scale: Scale) =>
        scale.unit ? `${number(v * scale.factor, 4)} ${scale.unit}` : number(v, 4);
      this.shown[i].textContent = `${show(x, this.x_scale)}, ${show(y, this.y_scale)}`;
      if (!Number.isFinite(x + y)) return;
      c.beginPath();
      c.arc(this.px(x), this.py(y), 5, 0, 2 * Math.PI);
      c.fillStyle = colour(trace.curve.tint);
      c.fill();
      c.lineWidth = 2;
      c.strokeStyle = css_colour("--paper");
      c.stroke();
    });
  }

  private nearest(px: number, py: number): number | null {
    let best = 30 * 30;
    let time: number | null = null;
    for (const trace of this.traces)
      for (let i = 0; i < trace.x.length; ++i) {
        const d = (this.px(trace.x[i]) - px) ** 2 + (this.py(trace.y[i]) - py) ** 2;
        if (d < best) {
          best = d;
          time = trace.times[i];
        }
      }
    return time;
  }

  private pointers(): void {
    const layer = this.mark_layer;
    let from: [number, number] | null = null;
    layer.addEventListener("pointerdown", (event) => {
      if (event.pointerType !== "mouse" || event.button) return;
      from = [event.offsetX, event.offsetY];
      layer.setPointerCapture(event.pointerId);
    });
    layer.addEventListener("pointermove", (event) => {
      if (!from) {
        state.set_hover(this.nearest(event.offsetX, event.offsetY));
        return;
      }
      const [x, y] = from;
      const box = this.box_element.style;
      this.box_element.hidden = Math.abs(event.offsetX - x) < 4 && Math.abs(event.offsetY - y) < 4;
      box.left = `${Math.min(x, event.offsetX)}px`;
      box.top = `${Math.min(y, event.offsetY)}px`;
      box.width = `${Math.abs(event.offsetX - x)}px`;
      box.height = `${Math.abs(event.offsetY - y)}px`;
    });
    layer.addEventListener("pointerup", (event) => {
      const start = from;
      from = null;
      this.box_element.hidden = true;
      const wide = start && Math.abs(event.offsetX - start[0]) > 6 && Math.abs(event.offsetY - start[1]) > 6;
      if (start && wide) {
        const area = this.inner();
        const x = (p: number) =>
          this.view[0] + ((p - area.left) / area.width) * (this.view[1] - this.view[0]);
        const y = (p: number) =>
          this.view[3] - ((p - area.top) / area.height) * (this.view[3] - this.view[2]);
        const sorted = (a: number, b: number): [number, number] => [Math.min(a, b), Math.max(a, b)];
        this.zoom = [...sorted(x(start[0]), x(event.offsetX)), ...sorted(y(start[1]), y(event.offsetY))];
        this.rebuild();
      } else {
        const t = this.nearest(event.offsetX, event.offsetY);
        if (t !== null) state.set_time(t);
      }
    });
    layer.addEventListener("pointerleave", () => !from && state.set_hover(null));
    layer.addEventListener("dblclick", () => {
      this.zoom = null;
      this.rebuild();
    });
  }

  protected ranged(): void {}
  protected resized(): void {
    this.rebuild();
  }
  protected clear(): void {}
}
