// The keyboard.
import type { ChannelBrowser } from "./browser";
import { h } from "./dom";
import type { Player } from "./player";
import { state } from "./state";

const help: [string, string][] = [
  ["space", "play or pause"],
  ["← →", "one frame back, forward"],
  ["+ −", "faster, slower"],
  ["Home End", "to the beginning, the end"],
  ["/", "search channels"],
  ["drag in a plot", "zoom; double click: all"],
  ["click in a plot", "go to that time"],
  ["?", "this list"],
];

export function keys_dialog(): HTMLDialogElement {
  const rows = help.map(([key, what]) => h("tr", {}, h("th", {}, h("kbd", {}, key)), h("td", {}, what)));
  const close = h("button", { type: "button" }, "close");
  const dialog = h(
    "dialog",
    { class: "keys", "aria-label": "Keys" },
    h("table", {}, h("tbody", {}, ...rows)),
    close,
  );
  close.addEventListener("click", () => dialog.close());
  return dialog;
}

/** Whether the element wants the key for itself. */
function takes(target: HTMLElement, key: string): boolean {
  if (target instanceof HTMLInputElement && target.type === "range") return false;
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) return true;
  return key === " " && /^(BUTTON|A)$/.test(target.tagName);
}

export function listen_to_keys(
  player: Player | null,
  browser: ChannelBrowser | null,
  dialog: HTMLDialogElement,
): void {
  const actions = new Map<string, () => void>([
    [" ", () => player?.toggle()],
    ["ArrowLeft", () => player?.frame(-1)],
    ["ArrowRight", () => player?.frame(1)],
    ["+", () => player?.faster(1)],
    ["-", () => player?.faster(-1)],
    ["Home", () => state.set_time(state.begin)],
    ["End", () => state.set_time(state.end)],
    ["/", () => browser?.focus()],
    ["?", () => dialog.showModal()],
  ]);
  addEventListener("keydown", (event) => {
    const action = actions.get(event.key);
    if (!action || dialog.open || event.ctrlKey || event.metaKey || event.altKey) return;
    if (takes(event.target as HTMLElement, event.key)) return;
    event.preventDefault();
    action();
  });
}
