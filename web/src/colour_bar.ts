// The bar that tells what the colours of beams mean.
import { shade, type Range } from "./beams";
import { h } from "./dom";
import { pretty_unit, scale_for, tick } from "./units";

/** Round numbers from 0 to the largest, about four steps. */
export function bar_ticks(largest: number): { step: number; values: number[] } {
  const raw = largest / 4;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((k) => k * power).find((s) => s >= 0.999 * raw) ?? raw;
  const values: number[] = [];
  for (let k = 0; k * step <= largest * (1 + 1e-9); ++k) values.push(k * step);
  return { step, values };
}

export class ColourBar {
  readonly element = h("div", { class: "colour-bar", hidden: true });

  show(what: { name: string; unit: string } | null, range: Range | null): void {
    this.element.hidden = !what || !range;
    this.element.textContent = "";
    if (!what || !range) return;
    if (!(range.largest > 0)) {
      this.element.append(h("span", { class: "bar-title" }, `${what.name}: 0 ${pretty_unit(what.unit)}`));
      return;
    }
    const scale = scale_for(what.unit, range.largest);
    const largest = range.largest * scale.factor;
    const strip = h("div", { class: "bar-strip" });
    const stops = Array.from({ length: 33 }, (_, i) => `rgb(${shade(range.signed, i / 32).join(" ")})`);
    strip.style.background = `linear-gradient(to right, ${stops.join(", ")})`;
    const numbers = h("div", { class: "bar-numbers" });
    const { step, values } = bar_ticks(range.signed ? 2 * largest : largest);
    const shown = range.signed ? values.flatMap((v) => (v > largest ? [] : v ? [-v, v] : [0])) : values;
    for (const value of shown.sort((a, b) => a - b)) {
      const mark = h("span", {}, tick(range.signed ? value : range.sign * value, step));
      const place = range.signed ? 0.5 + (0.5 * value) / largest : value / largest;
      mark.style.left = `${100 * place}%`;
      numbers.append(mark);
    }
    this.element.append(
      h("span", { class: "bar-title" }, scale.unit ? `${what.name} (${scale.unit})` : what.name),
      strip,
      numbers,
    );
  }
}
