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
