// Units and numbers set in print.

const superscripts: Record<string, string> = {
  "0": "⁰",
  "1": "¹",
  "2": "²",
  "3": "³",
  "4": "⁴",
  "5": "⁵",
  "6": "⁶",
  "7": "⁷",
  "8": "⁸",
  "9": "⁹",
  "-": "⁻",
  ".": "·",
};

export function superscript(text: string): string {
  return [...text].map((c) => superscripts[c] ?? c).join("");
}

/** "kg*m/s^2" as "kg·m/s²"; a pure number has no unit. */
export function pretty_unit(unit: string): string {
  if (unit === "1" || unit === "") return "";
  return unit
    .replace(/\^\(?(-?\d+)\)?/g, (_, power: string) => superscript(power))
    .replace(/\*/g, "·")
    .replace(/\bohm\b/gi, "Ω")
    .replace(/\bdeg\b/g, "°");
}

export interface Scale {
  factor: number; // shown = value · factor
  unit: string; // in print, with prefix
}

// Symbols that take prefixes, and whether large ones are usual.
const prefixable: Record<string, boolean> = {
  N: true,
  W: true,
  J: true,
  Pa: true,
  V: true,
  A: true,
  Hz: true,
  ohm: true,
  m: true,
  s: false,
  rad: false,
  K: false,
  F: true,
  H: true,
  C: true,
  T: false,
  Wb: false,
  S: true,
};
const prefixes: Record<number, string> = {
  9: "G",
  6: "M",
  3: "k",
  0: "",
  [-3]: "m",
  [-6]: "µ",
  [-9]: "n",
  [-12]: "p",
};

/** How to show values of up to this magnitude. */
export function scale_for(unit: string, magnitude: number): Scale {
  const plain = pretty_unit(unit);
  if (!(magnitude > 0) || !Number.isFinite(magnitude) || (magnitude >= 0.1 && magnitude < 1e4))
    return { factor: 1, unit: plain };
  const power = 3 * Math.floor(Math.log10(magnitude * 1.0000001) / 3);
  const first = /^[A-Za-z]+/.exec(unit)?.[0] ?? "";
  const raised = unit.charAt(first.length) === "^";
  const known = Object.prototype.hasOwnProperty.call(prefixable, first);
  const prefix = prefixes[power];
  if (known && !raised && prefix && (power < 0 || prefixable[first]))
    return { factor: 10 ** -power, unit: prefix + plain };
  const ten = `10${superscript(String(power))}`;
  return { factor: 10 ** -power, unit: plain ? `${ten} ${plain}` : ten };
}

/** With a proper minus and a power of ten instead of an E. */
export function number(value: number | null | undefined, digits = 5): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  let text: string;
  if (size >= 1e-3 && size < 10 ** Math.max(6, digits)) {
    text = String(Number(value.toPrecision(digits)));
  } else {
    const [mantissa, power] = value.toExponential(Math.max(0, digits - 2)).split("e");
    const short = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
    text = `${short}·10${superscript(String(Number(power)))}`;
  }
  return text.replace(/^-/, "−");
}

/** With unit and prefix: "12.3 kN". */
export function quantity(value: number | null | undefined, unit: string, digits = 5): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return number(value);
  const scale = scale_for(unit, Math.abs(value));
  if (scale.unit.startsWith("10") || unit === "1") {
    const plain = pretty_unit(unit);
    return plain ? `${number(value, digits)} ${plain}` : number(value, digits);
  }
  return scale.unit
    ? `${number(value * scale.factor, digits)} ${scale.unit}`
    : number(value * scale.factor, digits);
}

export function count(value: number): string {
  return String(Math.round(value))
    .replace(/\B(?=(\d{3})+$)/g, "\u202f")
    .replace(/^-/, "−");
}

/** A tick: as many decimals as the step between ticks wants. */
export function tick(value: number, step: number): string {
  if (value === 0 || Math.abs(value) < 1e-9 * step) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || step < 1e-6) return number(value, 3);
  const decimals = Math.max(0, Math.min(9, -Math.floor(Math.log10(step * 1.0001))));
  const fine =
    Math.abs(step * 10 ** decimals - Math.round(step * 10 ** decimals)) > 1e-6 ? decimals + 1 : decimals;
  return value.toFixed(fine).replace(/^-/, "−");
}

const quantities = new Map(
  Object.entries({
    m: "length",
    "m/s": "velocity",
    "m/s^2": "acceleration",
    rad: "angle",
    "rad/s": "angular velocity",
    "rad/s^2": "angular acceleration",
    N: "force",
    "N*m": "torque",
    J: "energy",
    W: "power",
    V: "voltage",
    A: "current",
    s: "time",
    Hz: "frequency",
    Pa: "pressure",
    K: "temperature",
    kg: "mass",
  }),
);

/** What an axis shows: the common last word of its channels, or what the unit measures. */
export function axis_name(channels: string[], unit: string): string {
  const last = channels.map((name) => {
    const parts = name.split(".");
    while (parts.length > 1 && /^([wxyz]|\d+)$/.test(parts[parts.length - 1])) parts.pop();
    return parts.length > 1 ? parts[parts.length - 1] : "";
  });
  const same = last.length > 0 && last.every((word) => word === last[0]);
  if (same && last[0] && last[0] !== "output") return last[0].replace(/_/g, " ");
  return quantities.get(unit) ?? "";
}

export function axis_label(name: string, unit: string): string {
  if (!unit) return name;
  return name ? `${name} (${unit})` : unit;
}
