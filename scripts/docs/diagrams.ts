/** The two pictures of `docs/architecture.md`, as boxes and arrows. */
interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** The first line is the name. */
  readonly lines: readonly string[];
  /** Holds other boxes: its lines are at the top. */
  readonly frame?: boolean;
  /** Not trusted. */
  readonly untrusted?: boolean;
}

interface Arrow {
  readonly from: readonly [x: number, y: number];
  /** Corners on the way; the label is at the first leg between two of them. */
  readonly via?: readonly (readonly [x: number, y: number])[];
  readonly to: readonly [x: number, y: number];
  readonly label?: string;
}

interface Diagram {
  readonly title: string;
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  readonly arrows: readonly Arrow[];
}

export function diagrams(): Readonly<Record<string, string>> {
  return { "docs/pictures/journey.svg": draw(journey), "docs/pictures/boundaries.svg": draw(boundaries) };
}

const journey: Diagram = {
  title: "The journey of a call",
  width: 960,
  height: 470,
  boxes: [
    { x: 20, y: 20, width: 190, height: 62, lines: ["person, editor, program", "tui/ cli/ acp/ mcp/server"] },
    { x: 290, y: 20, width: 170, height: 62, lines: ["agent/", "loop, model context", "verification"] },
    { x: 540, y: 20, width: 170, height: 62, lines: ["provider/", "model streams"], untrusted: true },
    { x: 20, y: 150, width: 150, height: 70, lines: ["session/door.ts", "the only entry point"] },
    { x: 200, y: 150, width: 150, height: 70, lines: ["registry/", "tool, schema,", "preconditions"] },
    { x: 380, y: 150, width: 150, height: 70, lines: ["effects/", "programs/ shell/", "what would it touch?"] },
    { x: 560, y: 150, width: 150, height: 70, lines: ["gate/", "rules, risk, mode", "makes the Permit"] },
    { x: 780, y: 150, width: 160, height: 70, lines: ["person or hook", "answers an ask"] },
    { x: 560, y: 280, width: 150, height: 70, lines: ["execution/", "lanes, deadlines,", "narrowed ports"] },
    {
      x: 780,
      y: 280,
      width: 160,
      height: 70,
      lines: ["tools/ mcp/ skills/", "through host/", "and sandbox/"],
      untrusted: true,
    },
    { x: 290, y: 280, width: 170, height: 70, lines: ["observation/", "bounds, redacts,", "two faces"] },
    { x: 20, y: 280, width: 190, height: 70, lines: ["log/", "append-only, chained,", "written before the effect"] },
    { x: 20, y: 400, width: 190, height: 50, lines: ["history/", "undo, replay, audit"] },
  ],
  arrows: [
    { from: [210, 51], to: [290, 51], label: "message" },
    { from: [460, 41], to: [540, 41], label: "request" },
    { from: [540, 66], to: [460, 66], label: "events" },
    { from: [95, 82], to: [95, 150], label: "intent" },
    {
      from: [330, 82],
      via: [
        [330, 104],
        [130, 104],
      ],
      to: [130, 150],
      label: "batch",
    },
    { from: [170, 185], to: [200, 185] },
    { from: [350, 185], to: [380, 185] },
    { from: [530, 185], to: [560, 185] },
    { from: [710, 172], to: [780, 172], label: "ask" },
    { from: [780, 200], to: [710, 200], label: "answer" },
    { from: [635, 220], to: [635, 280], label: "Permit" },
    { from: [710, 305], to: [780, 305], label: "run" },
    { from: [780, 330], to: [710, 330], label: "result" },
    { from: [560, 315], to: [460, 315], label: "RawResult" },
    { from: [560, 215], to: [460, 285], label: "Refusal" },
    { from: [290, 315], to: [210, 315], label: "Observation" },
    {
      from: [185, 280],
      via: [
        [185, 122],
        [400, 122],
      ],
      to: [400, 82],
      label: "facts",
    },
    { from: [115, 350], to: [115, 400] },
  ],
};

const boundaries: Diagram = {
  title: "Trust boundaries",
  width: 960,
  height: 430,
  boxes: [
    { x: 20, y: 40, width: 180, height: 60, lines: ["model and provider", "only proposes"], untrusted: true },
    { x: 20, y: 140, width: 180, height: 60, lines: ["repository", "settings only narrow"], untrusted: true },
    { x: 20, y: 240, width: 180, height: 60, lines: ["MCP client, editor", "proposes like a model"], untrusted: true },
    {
      x: 260,
      y: 20,
      width: 680,
      height: 390,
      lines: ["your account: kernel, bubblewrap, git, Node, your own settings"],
      frame: true,
    },
    { x: 290, y: 60, width: 270, height: 190, lines: ["Gauntlet's process"], frame: true },
    { x: 310, y: 95, width: 230, height: 40, lines: ["1  gate: rules on effects"] },
    { x: 310, y: 145, width: 230, height: 40, lines: ["2  ports: what the permit names"] },
    { x: 310, y: 195, width: 230, height: 40, lines: ["6  log: before the effect"] },
    { x: 640, y: 60, width: 280, height: 190, lines: ["3  sandbox (bubblewrap)"], frame: true },
    {
      x: 660,
      y: 95,
      width: 240,
      height: 60,
      lines: ["command, hook, MCP server", "no home, no secrets, no privileges"],
      untrusted: true,
    },
    { x: 660, y: 170, width: 240, height: 60, lines: ["4  view of the workspace", "copy-on-write, judged at the end"] },
    { x: 640, y: 290, width: 280, height: 50, lines: ["5  proxy: only approved hosts"] },
    { x: 290, y: 290, width: 270, height: 50, lines: ["workspace, state, log on disk"] },
    { x: 640, y: 375, width: 280, height: 40, lines: ["network, remote MCP servers"], untrusted: true },
  ],
  arrows: [
    { from: [200, 70], to: [310, 105], label: "calls" },
    { from: [200, 170], to: [310, 120], label: "settings" },
    { from: [200, 270], to: [310, 130], label: "calls" },
    { from: [540, 165], to: [640, 150], label: "permit" },
    { from: [660, 225], to: [545, 290], label: "apply" },
    { from: [780, 250], to: [780, 290] },
    { from: [780, 340], to: [780, 375] },
    { from: [425, 250], to: [425, 290] },
  ],
};

function draw({ title, width, height, boxes, arrows }: Diagram): string {
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" font-family="system-ui, sans-serif" font-size="13" role="img" aria-label="${title}">`,
    `<title>${title}</title>`,
    '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" fill="#57606a"/></marker></defs>',
    `<rect width="${width}" height="${height}" rx="8" fill="#ffffff"/>`,
    ...boxes.map(drawBox),
    ...arrows.map(drawArrow),
    "</svg>",
  ].join("\n")}\n`;
}

function drawBox({ x, y, width, height, lines, frame, untrusted }: Box): string {
  const fill = frame ? "none" : untrusted ? "#fff1e5" : "#ddf4ff";
  const stroke = untrusted ? "#bc4c00" : frame ? "#8c959f" : "#0969da";
  const dash = frame ? ' stroke-dasharray="5 4"' : "";
  const top = frame ? y + 20 : y + height / 2 - (lines.length - 1) * 8 + 4;
  const texts = lines.map((line, index) => {
    const place = frame ? `x="${x + 12}"` : `x="${x + width / 2}" text-anchor="middle"`;
    const weight = index === 0 ? ' font-weight="600"' : "";
    return `<text ${place} y="${top + index * 16}"${weight} fill="#1f2328">${line}</text>`;
  });
  return [
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="6" fill="${fill}" stroke="${stroke}"${dash}/>`,
    ...texts,
  ].join("\n");
}

function drawArrow({ from, via = [], to, label }: Arrow): string {
  const path = [from, ...via, to].map(([x, y]) => `${x} ${y}`).join("L");
  const line = `<path d="M${path}" stroke="#57606a" fill="none" marker-end="url(#head)"/>`;
  if (label === undefined) return line;
  const [start, end] = via.length > 1 ? [via[0] ?? from, via[1] ?? to] : [from, to];
  const [x, y] = [(start[0] + end[0]) / 2, (start[1] + end[1]) / 2 - 4];
  return `${line}\n<text x="${x}" y="${y}" text-anchor="middle" font-size="11" fill="#57606a">${label}</text>`;
}
