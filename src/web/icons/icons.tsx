/** Icons as SVG paths: 16 × 16, stroke width 1.5. */
import { isKind, kindRows } from "../../feed/kinds.ts";

const shapes = {
  issue:
    "M8 1.75a6.25 6.25 0 1 0 0 12.5a6.25 6.25 0 0 0 0-12.5M8 6.75a1.25 1.25 0 1 0 0 2.5a1.25 1.25 0 0 0 0-2.5",
  closed: "M8 1.75a6.25 6.25 0 1 0 0 12.5a6.25 6.25 0 0 0 0-12.5M5.5 8.2l1.8 1.8 3.4-3.8",
  label: "M2 7.5V2.5h5l7 7-5 5zM5 5.4v.2",
  run: "M4.5 2.5v11l9-5.5z",
  check: "M2.5 8.5l3.5 3.5 7.5-8",
  cross: "M3.5 3.5l9 9M12.5 3.5l-9 9",
  step: "M8 5.75a2.25 2.25 0 1 0 0 4.5a2.25 2.25 0 0 0 0-4.5",
  pull: "M4 5.5v5M4 2a1.75 1.75 0 1 0 0 3.5a1.75 1.75 0 0 0 0-3.5M4 10.5A1.75 1.75 0 1 0 4 14a1.75 1.75 0 0 0 0-3.5M12 10.5A1.75 1.75 0 1 0 12 14a1.75 1.75 0 0 0 0-3.5M12 10.5V6a2 2 0 0 0-2-2H8M9.5 2L7.5 4l2 2",
  merge:
    "M4 5.5v5M4 2a1.75 1.75 0 1 0 0 3.5a1.75 1.75 0 0 0 0-3.5M4 10.5A1.75 1.75 0 1 0 4 14a1.75 1.75 0 0 0 0-3.5M12 6.5a1.75 1.75 0 1 0 0 3.5a1.75 1.75 0 0 0 0-3.5M4 5.5c.5 2 2.5 2.75 6.25 2.75",
  eye: "M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8zM8 6.25a1.75 1.75 0 1 0 0 3.5a1.75 1.75 0 0 0 0-3.5",
  gear: "M8 5.5a2.5 2.5 0 1 0 0 5a2.5 2.5 0 0 0 0-5M8 1.5v2M8 12.5v2M1.5 8h2M12.5 8h2M3.4 3.4l1.4 1.4M11.2 11.2l1.4 1.4M12.6 3.4l-1.4 1.4M4.8 11.2l-1.4 1.4",
  flag: "M3.5 14.5v-12M3.5 3h9l-2 3 2 3h-9",
  sliders: "M2 4.5h5M10.5 4.5H14M8.75 2.75v3.5M2 11.5h2M7.5 11.5H14M5.75 9.75v3.5",
  link: "M6.5 9.5l3-3M7 4.5l1.7-1.7a3 3 0 0 1 4.3 4.3L11.3 8.8M9 11.5l-1.7 1.7a3 3 0 0 1-4.3-4.3L4.7 7.2",
  layers: "M8 2L14 5.25 8 8.5 2 5.25zM2.5 8.5L8 11.5l5.5-3M2.5 11.25L8 14.25l5.5-3",
  book: "M8 4C6.5 2.75 4.5 2.5 2.25 2.75v9.5C4.5 12 6.5 12.25 8 13.5M8 4c1.5-1.25 3.5-1.5 5.75-1.25v9.5C11.5 12 9.5 12.25 8 13.5M8 4v9.5",
  image: "M2 3h12v10H2zM2 11l3.5-3.5 3 3 2-2L14 12M10.5 6a.5.5 0 1 0 0 .01",
  globe:
    "M8 1.75a6.25 6.25 0 1 0 0 12.5a6.25 6.25 0 0 0 0-12.5M1.75 8h12.5M8 1.75c4 4 4 8.5 0 12.5M8 1.75c-4 4-4 8.5 0 12.5",
  person:
    "M8 2.25a2.75 2.75 0 1 0 0 5.5a2.75 2.75 0 0 0 0-5.5M2.75 14c.4-2.9 2.4-4.25 5.25-4.25s4.85 1.35 5.25 4.25",
  upload: "M8 10.5v-8M4.75 5.5L8 2.25l3.25 3.25M2.5 10.5v3h11v-3",
  coins:
    "M6 2.5c2.5 0 4.25.85 4.25 2S8.5 6.5 6 6.5 1.75 5.65 1.75 4.5 3.5 2.5 6 2.5M1.75 4.5v3.25c0 1.15 1.75 2 4.25 2M1.75 7.75V11c0 1.15 1.75 2 4.25 2M10.5 7.5a3.25 3.25 0 1 0 0 6.5a3.25 3.25 0 0 0 0-6.5",
  clock: "M8 1.75a6.25 6.25 0 1 0 0 12.5a6.25 6.25 0 0 0 0-12.5M8 4.5V8l2.25 1.75",
  sound: "M2.5 6.25v3.5h2.25L8.25 13V3L4.75 6.25zM10.75 5.75a3.25 3.25 0 0 1 0 4.5M12.5 3.75a6 6 0 0 1 0 8.5",
  back: "M10 3L5 8l5 5",
  forward: "M6 3l5 5-5 5",
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  inbox: "M2 9.5L4 3.5h8l2 6v4H2zM2 9.5h3.5c0 1.4 1 2.25 2.5 2.25s2.5-.85 2.5-2.25H14",
  outside: "M6.5 3.5h-3v9h9v-3M9 2.5h4.5V7M13.25 2.75L7.5 8.5",
  fit: "M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10",
} as const;

export type IconName = keyof typeof shapes;

/** Hidden from screen readers: there is always text beside it. */
export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
    <path d={shapes[name]} />
  </svg>
);

export type Tone = "good" | "bad" | "info" | "warn" | "quiet";

/** A state in its color. */
export const StatusLabel = ({ icon, tone, text }: { icon: IconName; tone: Tone; text: string }) => (
  <span class={`status ${tone}`}>
    <Icon name={icon} /> {text}
  </span>
);

/** The icon and tone of a kind of event. */
export const kindStyle = (kind: string): { icon: IconName; tone: Tone } =>
  isKind(kind) ? kindRows[kind] : { icon: "step", tone: "quiet" };
