// Colours that people with any colour vision can tell apart (after Okabe and Ito), for light and dark ground.

const light = ["#0072b2", "#d55e00", "#009e73", "#b8559a", "#b07c00", "#2f9bd8", "#6a51a3", "#5d6770"];
const dark = ["#4fa8e0", "#ff8a4c", "#2fc79b", "#e39ccb", "#f0c24a", "#8fd0f7", "#b9a6ee", "#aab4bd"];

export function is_dark(): boolean {
  const chosen = document.documentElement.dataset.theme;
  if (chosen) return chosen === "dark";
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

export function colour(index: number): string {
  const set = is_dark() ? dark : light;
  return set[index % set.length];
}

export function solid_colour(index: number): string {
  return ["#4e8fbf", "#e0a03a", "#4aa98a", "#d0704a", "#86bfe0", "#bd86a9", "#c9bf5a", "#8d98a3"][index % 8];
}

/** Of the domains of components: by the first part of the type. */
export function domain_colour(type: string): string {
  const order = ["body", "joint", "force", "control", "rotational", "translational", "sensor", "planar"];
  const place = order.indexOf(type.split(".")[0]);
  return colour([0, 4, 1, 2, 6, 3, 5, 7][place < 0 ? 7 : place]);
}

/** From OKLab, in which equal distances look equal. */
function from_oklab(L: number, a: number, b: number): [number, number, number] {
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const curve = (v: number) => {
    const clear = Math.min(1, Math.max(0, v));
    return Math.round(255 * (clear <= 0.0031308 ? 12.92 * clear : 1.055 * clear ** (1 / 2.4) - 0.055));
  };
  return [
    curve(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    curve(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    curve(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

/** Of a magnitude from 0 to 1: dark blue over red to light yellow, a helix about the greys. */
export function magnitude_colour(part: number): [number, number, number] {
  const hue = ((280 + 180 * part) * Math.PI) / 180;
  return from_oklab(0.36 + 0.52 * part, 0.165 * Math.cos(hue), 0.165 * Math.sin(hue));
}

/** Of a value from −1 to 1: blue below zero, light grey at it, vermilion above, as far from grey as the value from zero. */
export function signed_colour(value: number): [number, number, number] {
  const far = Math.abs(value);
  const hue = ((value < 0 ? 250 : 45) * Math.PI) / 180;
  return from_oklab(0.82 - 0.24 * far, 0.155 * far * Math.cos(hue), 0.155 * far * Math.sin(hue));
}
