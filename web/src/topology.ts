// How the components hang together: boxes and lines, laid out from left to right.
import { graphlib, layout } from "@dagrejs/dagre";
import type { Component, Scene } from "./data";
import type { RunData } from "./decode";
import { h, svg } from "./dom";
import { domain_colour } from "./palette";
import { state } from "./state";
import { pretty_unit } from "./units";

const most_boxes = 300;

interface Box {
  id: string;
  title: string;
  subtitle: string;
  type: string;
  members: Component[];
  ground: boolean;
}
interface Edge {
  from: string;
  to: string;
  signal: boolean;
  ports: string[];
}
interface Placed {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Of components, or of what they are grouped by. */
export function graph_of(scene: Scene, grouped: boolean): { boxes: Box[]; edges: Edge[] } {
  const boxes = new Map<string, Box>();
  const edges = new Map<string, Edge>();
  const id_of = (name: string) => (grouped ? name.split(".")[0] : name);
  for (const component of scene.components) {
    const id = id_of(component.name);
    const box = boxes.get(id) ?? {
      id,
      title: id,
      subtitle: "",
      type: component.type,
      members: [],
      ground: false,
    };
    box.members.push(component);
    box.subtitle = box.members.length > 1 ? `${box.members.length} components` : component.type;
    boxes.set(id, box);
  }
  for (const component of scene.components) {
    const here = id_of(component.name);
    for (const connection of component.connections) {
      let there = id_of(connection.to);
      if (connection.to === "ground") {
        there = `ground of ${here}`;
        if (!boxes.has(there))
          boxes.set(there, { id: there, title: "ground", subtitle: "", type: "", members: [], ground: true });
      } else if (!boxes.has(there)) {
        let parent = connection.to;
        while (!boxes.has(id_of(parent)) && parent.includes("."))
          parent = parent.slice(0, parent.lastIndexOf("."));
        there = id_of(parent);
        if (!boxes.has(there)) {
          there = connection.to;
          boxes.set(there, {
            id: there,
            title: there,
            subtitle: "node",
            type: "",
            members: [],
            ground: false,
          });
        }
      }
      if (there === here) continue;
      const key = JSON.stringify([there, here, connection.signal]);
      const edge = edges.get(key) ?? { from: there, to: here, signal: connection.signal, ports: [] };
      edge.ports.push(connection.port);
      edges.set(key, edge);
    }
  }
  return { boxes: [...boxes.values()], edges: [...edges.values()] };
}

/** How far each box is from the ground, along what is not a signal. */
function distances(boxes: Box[], edges: Edge[]): Map<string, number> {
  const near = new Map<string, string[]>(boxes.map((box) => [box.id, []]));
  for (const edge of edges) {
    if (edge.signal) continue;
    near.get(edge.from)!.push(edge.to);
    near.get(edge.to)!.push(edge.from);
  }
  const out = new Map<string, number>();
  const spread = (roots: string[]) => {
    let front = roots.filter((id) => !out.has(id));
    front.forEach((id) => out.set(id, 0));
    for (let depth = 1; front.length; ++depth) {
      front = [...new Set(front.flatMap((id) => near.get(id)!))].filter((id) => !out.has(id));
      front.forEach((id) => out.set(id, depth));
    }
  };
  spread(boxes.filter((box) => box.ground).map((box) => box.id));
  for (const box of boxes) spread([box.id]);
  return out;
}

export function topology(run: RunData, show_channels: (component: string) => void): HTMLElement | null {
  const scene = run.run.scene;
  if (!scene || !scene.components.length) return null;
  const grouped = scene.components.length > most_boxes;
  const { boxes, edges } = graph_of(scene, grouped);
  const g = new graphlib.Graph({ multigraph: true });
  g.setGraph({ rankdir: "LR", nodesep: 14, ranksep: 46, edgesep: 8, marginx: 12, marginy: 12 });
  g.setDefaultEdgeLabel(() => ({}));
  // The layout gets numbers for names: those of a model may be anything.
  const key_of = new Map(boxes.map((box, i) => [box.id, `n${i}`]));
  for (const box of boxes) {
    const letters = Math.max(box.title.length * 7.4, box.subtitle.length * 6.1);
    g.setNode(
      key_of.get(box.id)!,
      box.ground ? { width: 26, height: 22 } : { width: Math.max(64, letters + 22), height: 40 },
    );
  }
  // Signals run from left to right; other lines lead away from the ground.
  const distance = distances(boxes, edges);
  const laid_out = edges.map((edge) => {
    const turn = !edge.signal && distance.get(edge.from)! > distance.get(edge.to)!;
    const [from, to] = turn ? [edge.to, edge.from] : [edge.from, edge.to];
    return [key_of.get(from)!, key_of.get(to)!] as const;
  });
  laid_out.forEach(([from, to], i) => g.setEdge(from, to, {}, `e${i}`));
  layout(g as never);

  const element = h("div", { class: "topology" });
  const info = h("div", { class: "topology-info", "aria-live": "polite" });
  const size = g.graph() as { width?: number; height?: number };
  const width = Math.max(100, size.width ?? 100);
  const height = Math.max(60, size.height ?? 60);
  const picture = svg("svg", {
    class: "topology-picture",
    role: "img",
    "aria-label": "Components and their connections",
  });
  const sheet = svg("g");
  const marker = svg(
    "marker",
    {
      id: "head",
      viewBox: "0 0 8 8",
      refX: 7,
      refY: 4,
      markerWidth: 7,
      markerHeight: 7,
      orient: "auto-start-reverse",
    },
    svg("path", { d: "M0 0 L8 4 L0 8 z", class: "arrow-head" }),
  );
  picture.append(svg("defs", {}, marker), sheet);
  edges.forEach((edge, i) => {
    const laid = g.edge(...laid_out[i], `e${i}`) as { points: { x: number; y: number }[] } | undefined;
    if (!laid?.points?.length) return;
    const p = laid.points;
    let path = `M${p[0].x} ${p[0].y}`;
    for (let k = 1; k < p.length - 1; ++k) {
      const end =
        k === p.length - 2 ? p[k + 1] : { x: (p[k].x + p[k + 1].x) / 2, y: (p[k].y + p[k + 1].y) / 2 };
      path += ` Q${p[k].x} ${p[k].y} ${end.x} ${end.y}`;
    }
    if (p.length === 2) path += ` L${p[1].x} ${p[1].y}`;
    const line = svg("path", { d: path, class: edge.signal ? "edge signal" : "edge" });
    if (edge.signal) line.setAttribute("marker-end", "url(#head)");
    line.append(svg("title", {}, `${edge.from} → ${edge.to} (${edge.ports.join(", ")})`));
    sheet.append(line);
  });

  let current: SVGGElement | null = null;
  const choose = (box: Box, node: SVGGElement) => {
    current?.classList.remove("current");
    current = node;
    node.classList.add("current");
    info.textContent = "";
    info.append(h("h3", {}, box.title));
    for (const member of box.members.slice(0, 8)) {
      const type = h("p", {}, h("code", {}, member.type));
      if (box.members.length > 1) type.append(` ${member.name}`);
      if (member.summary) type.append(h("span", { class: "muted" }, ` ${member.summary}`));
      info.append(type);
    }
    if (box.members.length > 8) info.append(h("p", { class: "note" }, `${box.members.length - 8} more`));
    const links = edges.filter((edge) => edge.from === box.id || edge.to === box.id);
    const name = (id: string) => boxes.find((b) => b.id === id)?.title ?? id;
    if (links.length)
      info.append(
        h(
          "ul",
          { class: "links" },
          ...links.slice(0, 20).map((edge) => {
            const out = edge.from === box.id;
            const verb = edge.signal ? (out ? "→" : "←") : "—";
            return h(
              "li",
              {},
              `${out ? "" : `${edge.ports.join(", ")} `}${verb} ${name(out ? edge.to : edge.from)}${out ? ` (${edge.ports.join(", ")})` : ""}`,
            );
          }),
        ),
      );
    const channels = run.run.channels.filter((c) => c.name === box.id || c.name.startsWith(`${box.id}.`));
    if (channels.length) {
      const list = h("div", { class: "chips" });
      for (const channel of channels.slice(0, 40)) {
        const unit = pretty_unit(channel.unit);
        const text = channel.name.slice(box.id.length + 1) || channel.name;
        list.append(
          h(
            "button",
            {
              type: "button",
              class: "chip",
              title: `plot ${channel.name}`,
              click: () => state.toggle(channel.name),
            },
            unit ? `${text} (${unit})` : text,
          ),
        );
      }
      info.append(
        h("p", {}, h("button", { type: "button", click: () => show_channels(box.id) }, "channels")),
        list,
      );
    }
  };

  const recolour: (() => void)[] = [];
  for (const box of boxes) {
    const at = g.node(key_of.get(box.id)!) as unknown as Placed;
    const node = svg("g", {
      class: box.ground ? "box ground" : "box",
      transform: `translate(${at.x - at.width / 2} ${at.y - at.height / 2})`,
    });
    if (box.ground) {
      node.append(svg("path", { d: "M13 2 V9 M3 9 H23 M7 13 H19 M11 17 H15" }), svg("title", {}, "ground"));
    } else {
      const rect = svg("rect", { width: at.width, height: at.height, rx: 5 });
      const stripe = svg("rect", { width: 4, height: at.height, rx: 2, class: "stripe" });
      const paint = () => (stripe.style.fill = domain_colour(box.type));
      recolour.push(paint);
      paint();
      node.append(
        rect,
        stripe,
        svg("text", { x: 12, y: 17, class: "box-title" }, box.title),
        svg("text", { x: 12, y: 31, class: "box-type" }, box.subtitle),
      );
      node.setAttribute("tabindex", "0");
      node.setAttribute("role", "button");
      node.setAttribute("aria-label", `${box.title}, ${box.subtitle}`);
      node.addEventListener("click", () => choose(box, node));
      node.addEventListener("keydown", (event) => {
        if (event.key === "Enter") choose(box, node);
      });
    }
    sheet.append(node);
  }
  state.on("theme", () => recolour.forEach((paint) => paint()));

  // Pan and zoom by the view box.
  const view = { x: 0, y: 0, width, height };
  const apply = () => picture.setAttribute("viewBox", `${view.x} ${view.y} ${view.width} ${view.height}`);
  apply();
  const zoom = (factor: number, cx = view.x + view.width / 2, cy = view.y + view.height / 2) => {
    const next = Math.min(4 * width, Math.max(60, view.width * factor)) / view.width;
    view.x = cx - (cx - view.x) * next;
    view.y = cy - (cy - view.y) * next;
    view.width *= next;
    view.height *= next;
    apply();
  };
  const shape = Math.min(620, Math.max(150, height + 8));
  picture.style.height = `${shape}px`;
  picture.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && !picture.matches(":focus-within")) return;
      event.preventDefault();
      const box = picture.getBoundingClientRect();
      const per = Math.max(view.width / box.width, view.height / box.height);
      const cx = view.x + view.width / 2 + (event.clientX - box.left - box.width / 2) * per;
      const cy = view.y + view.height / 2 + (event.clientY - box.top - box.height / 2) * per;
      zoom(event.deltaY > 0 ? 1.15 : 1 / 1.15, cx, cy);
    },
    { passive: false },
  );
  let drag: { x: number; y: number } | null = null;
  picture.addEventListener("pointerdown", (event) => {
    drag = { x: event.clientX, y: event.clientY };
  });
  picture.addEventListener("pointermove", (event) => {
    if (!drag || !(event.buttons & 1)) return;
    const box = picture.getBoundingClientRect();
    const per = Math.max(view.width / box.width, view.height / box.height);
    view.x -= (event.clientX - drag.x) * per;
    view.y -= (event.clientY - drag.y) * per;
    drag = { x: event.clientX, y: event.clientY };
    apply();
  });
  addEventListener("pointerup", () => (drag = null));
  const tools = h(
    "span",
    { class: "button-group topology-tools", role: "group", "aria-label": "Zoom" },
    h("button", { type: "button", "aria-label": "Zoom in", click: () => zoom(1 / 1.3) }, "+"),
    h("button", { type: "button", "aria-label": "Zoom out", click: () => zoom(1.3) }, "−"),
    h(
      "button",
      {
        type: "button",
        click: () => {
          Object.assign(view, { x: 0, y: 0, width, height });
          apply();
        },
      },
      "Fit",
    ),
  );
  if (grouped)
    element.append(
      h(
        "p",
        { class: "note" },
        `${scene.components.length} components, grouped by the first part of their names.`,
      ),
    );
  const domains = [...new Set(boxes.filter((b) => b.type).map((b) => b.type.split(".")[0]))];
  const key = h("div", { class: "topology-key" });
  for (const domain of domains) {
    const dot = h("span", { class: "dot" });
    const paint = () => (dot.style.background = domain_colour(domain));
    recolour.push(paint);
    paint();
    key.append(h("span", { class: "legend-item" }, dot, domain));
  }
  info.append(h("p", { class: "note" }, "Click a box to see what it is."));
  element.append(h("div", { class: "topology-frame" }, picture, tools), key, info);
  return element;
}
