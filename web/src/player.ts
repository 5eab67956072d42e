// Playing: the clock, and the controls under the picture.
import { h, toggle } from "./dom";
import { state } from "./state";
import type { Measure } from "./measures";
import { number, quantity } from "./units";
import type { Direction, View3d } from "./view3d";

export const speeds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];

/** Real time for runs of 1 to 20 s; else so that the run takes about ten seconds. */
export function default_speed(duration: number): number {
  if (!(duration > 0) || (duration >= 1 && duration <= 20)) return 1;
  const wanted = duration / 10;
  return speeds.reduce((best, s) =>
    Math.abs(Math.log(s / wanted)) < Math.abs(Math.log(best / wanted)) ? s : best,
  );
}

export class Player {
  readonly element = h("div", { class: "player" });
  playing = false;
  private speed: number;
  private last = 0;
  private readonly step: number;
  private readonly play_button: HTMLButtonElement;
  private readonly slider: HTMLInputElement;
  private readonly readout = h("output", { class: "time-readout", "aria-label": "time" });
  private readonly speed_box: HTMLSelectElement;

  constructor(view: View3d | null, frames: number) {
    const duration = state.end - state.begin;
    this.speed = default_speed(duration);
    this.step = duration / Math.max(1, Math.min(frames || 200, 600));
    this.play_button = h(
      "button",
      {
        type: "button",
        class: "play",
        "aria-label": "Play",
        title: "Play or pause (space)",
        click: () => this.toggle(),
      },
      "▶",
    );
    this.slider = h("input", {
      type: "range",
      class: "scrub",
      min: 0,
      max: 10000,
      step: 1,
      value: 0,
      "aria-label": "Time",
    });
    this.slider.addEventListener("input", () => {
      this.pause();
      state.set_time(state.begin + (Number(this.slider.value) / 10000) * duration);
    });
    this.speed_box = h("select", { "aria-label": "Speed", title: "Speed (+ and −)" });
    for (const s of speeds)
      this.speed_box.append(h("option", { value: s, selected: s === this.speed }, `${s}×`));
    this.speed_box.addEventListener("change", () => (this.speed = Number(this.speed_box.value)));
    this.element.append(
      h("div", { class: "player-row" }, this.play_button, this.slider, this.readout, this.speed_box),
    );
    if (view) this.element.append(this.view_tools(view));
    state.on("time", () => this.shown());
    this.shown();
  }

  private view_tools(view: View3d): HTMLElement {
    const row = h("div", { class: "player-row view-tools" });
    const views: [Direction, string][] = [
      ["fit", "Fit"],
      ["front", "Front"],
      ["side", "Side"],
      ["top", "Top"],
    ];
    const group = h("span", { class: "button-group", role: "group", "aria-label": "View" });
    for (const [direction, name] of views)
      group.append(h("button", { type: "button", click: () => view.look(direction) }, name));
    row.append(group);
    const bodies = view.mechanism.bodies;
    if (bodies.length && !view.poses.layout) {
      const follow = h("select", { "aria-label": "Follow a body" });
      follow.append(h("option", { value: "" }, "follow nothing"));
      for (const body of bodies.slice(0, 500))
        follow.append(
          h("option", { value: body.node, selected: view.following === body.node }, `follow ${body.name}`),
        );
      follow.addEventListener("change", () => view.follow(follow.value === "" ? null : Number(follow.value)));
      row.append(follow);
    }
    if (bodies.length && !view.poses.layout) {
      const trails = h("select", { "aria-label": "Trails" });
      for (const [value, name] of [
        ["none", "no trails"],
        ["all", "all trails"],
        ["selected", "selected trail"],
      ])
        trails.append(h("option", { value, selected: value === view.trails_shown }, name));
      trails.addEventListener("change", () => view.set_trails(trails.value as "none" | "all" | "selected"));
      row.append(trails);
    }
    if (view.beam_measures.length) {
      const colours = h("select", { class: "beam-colours", "aria-label": "Colour of beams" });
      colours.append(h("option", { value: "" }, "beams plain"));
      for (const { key, name } of view.beam_measures)
        colours.append(h("option", { value: key }, `beams: ${name}`));
      colours.addEventListener("change", () => view.colour_beams((colours.value || null) as Measure | null));
      row.append(colours);
    }
    if (view.has_forces)
      row.append(
        toggle("forces", "Arrows of recorded forces and torques", (on) => {
          view.show_forces = on;
          view.refresh();
        }),
      );
    if (bodies.length) {
      if (!view.poses.layout)
        row.append(
          toggle("velocities", "Arrows of velocities", (on) => {
            view.show_velocities = on;
            view.refresh();
          }),
        );
      row.append(
        toggle("labels", "Names of the bodies", (on) => {
          view.show_labels = on;
          view.refresh();
        }),
      );
    }
    return row;
  }

  private shown(): void {
    const duration = state.end - state.begin || 1;
    this.slider.value = String(Math.round(((state.time - state.begin) / duration) * 10000));
    const decimals = Math.max(0, Math.min(9, 3 - Math.floor(Math.log10(duration))));
    this.readout.textContent =
      duration < 0.05 ? quantity(state.time, "s", 4) : `${state.time.toFixed(decimals)} s`;
    this.slider.setAttribute("aria-valuetext", `${number(state.time)} s`);
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }
  play(): void {
    if (this.playing || !(state.end > state.begin)) return;
    if (state.time >= state.end) state.set_time(state.begin);
    this.playing = true;
    this.play_button.textContent = "❚❚";
    this.play_button.setAttribute("aria-label", "Pause");
    this.last = performance.now();
    const tick = (now: number) => {
      if (!this.playing) return;
      const t = state.time + (this.speed * Math.min(200, now - this.last)) / 1000;
      this.last = now;
      if (t >= state.end) {
        state.set_time(state.end);
        this.pause();
        return;
      }
      state.set_time(t);
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }
  pause(): void {
    this.playing = false;
    this.play_button.textContent = "▶";
    this.play_button.setAttribute("aria-label", "Play");
  }
  frame(count: number): void {
    this.pause();
    state.set_time(state.time + count * this.step);
  }
  faster(by: number): void {
    const i = Math.min(speeds.length - 1, Math.max(0, speeds.indexOf(this.speed) + by));
    this.speed = speeds[i];
    this.speed_box.value = String(this.speed);
  }
}
