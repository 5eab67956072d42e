// What the parts of the page share: the time, the visible range, the chosen channels; and who wants to know.

type Topic = "time" | "hover" | "range" | "selection" | "theme";

class State {
  time = 0;
  hover: number | null = null; // s, under the pointer in some plot
  range: [number, number] | null = null; // s; null: all
  selection: string[] = []; // channels plotted in the browser
  begin = 0;
  end = 1;
  private readonly listeners = new Map<Topic, Set<() => void>>();

  on(topic: Topic, listener: () => void): () => void {
    let all = this.listeners.get(topic);
    if (!all) this.listeners.set(topic, (all = new Set()));
    all.add(listener);
    return () => all.delete(listener);
  }
  emit(topic: Topic): void {
    for (const listener of this.listeners.get(topic) ?? []) listener();
  }

  set_time(t: number): void {
    this.time = Math.min(this.end, Math.max(this.begin, t));
    this.emit("time");
  }
  set_hover(t: number | null): void {
    if (t === this.hover) return;
    this.hover = t;
    this.emit("hover");
  }
  set_range(range: [number, number] | null): void {
    this.range = range;
    this.emit("range");
  }
  select(channels: string[]): void {
    this.selection = [...new Set(channels)];
    this.emit("selection");
  }
  toggle(channel: string): void {
    const others = this.selection.filter((name) => name !== channel);
    this.select(others.length < this.selection.length ? others : [...others, channel]);
  }
}

export const state = new State();
