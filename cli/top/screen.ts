/** Draws `svc top`: exactly as many lines as the terminal has, none wider than it. */

import { escapeControls } from "../../src/core/lib/strings/display-text.ts";
import { taskNames } from "../../src/core/task-key.ts";
import { groups } from "../../src/overview/inbox/schema.ts";
import { styles } from "../output/styles.ts";
import { type Column, fittedTable, formatAge, pad, truncate } from "../output/table.ts";
import type { TopState } from "./state.ts";

/** A list that fills the screen; `all` shares it between them. */
export type TopView = "all" | "runs" | "reviews" | "failures";

export interface ScreenOptions {
  view: TopView;
  width: number;
  height: number;
  nowMs: number;
  /** Names the server or database. */
  place: string;
  /** Why the data is not current; null if it is. */
  problem: string | null;
  isColored: boolean;
}

interface List {
  view: Exclude<TopView, "all">;
  title: string;
  columns: Column[];
  rows: string[][];
  /** How many there are, if these are only the newest. */
  count?: number;
  empty: string;
}

/** The most that Today counts. */
const countMax = 100;
const keys = "q quit   r reload   1 runs   2 reviews   3 failures   0 all";

/** The lines of the dashboard for a terminal of this size. */
export function drawTop(state: TopState, options: ScreenOptions): string[] {
  const { width, height, view, isColored } = options;
  const paint = (style: (text: string) => string, text: string) => (isColored ? style(text) : text);
  const lists = listsOf(state, options.nowMs).filter((list) => view === "all" || list.view === view);
  const room = height - 4; // title, totals, a blank line, keys
  const bodies = share(
    lists.map(({ rows }) => rows.length),
    room,
  );
  const body = lists.flatMap((list, index) => {
    const [title, ...lines] = drawList(list, bodies[index] as number, width);
    return [paint(styles.bold, title as string), ...lines];
  });
  const lines = [
    titleLine(options),
    totalsLine(state, width),
    "",
    ...body.slice(0, room),
    ...Array.from({ length: Math.max(0, room - body.length) }, () => ""),
    paint(styles.dim, truncate(keys, width)),
  ];
  return lines.slice(0, height);
}

function titleLine({ place, problem, nowMs, width, isColored }: ScreenOptions): string {
  const clock = `${new Date(nowMs).toISOString().slice(11, 19)} UTC`;
  const status = problem ?? "live";
  const right = `${truncate(status, Math.max(4, width - clock.length - 20))}  ${clock}`;
  const left = truncate(`svc top  ${place}`, width - Bun.stringWidth(right) - 2);
  const text = `${pad(left, width - Bun.stringWidth(right))}${right}`;
  return problem !== null && isColored ? styles.yellow(text) : text;
}

function totalsLine(state: TopState, width: number): string {
  const { runs, needs, spentToday } = state;
  const counted = (count: number) => (count >= countMax ? `${countMax - 1}+` : String(count));
  const long = [
    `${runs.length} running`,
    `$${spentToday.toFixed(2)} today`,
    `${counted(needs.count)} ${needs.count === 1 ? "needs" : "need"} you`,
    `${counted(needs.counts.requested + needs.counts.waiting)} to review`,
    `${counted(needs.counts.broken)} broken`,
  ].join("   ");
  return truncate(long, width);
}

const text = (value: string | null | undefined): string => escapeControls(value ?? "–").replaceAll("\n", " ");

function listsOf({ runs, needs, canReadAssets }: TopState, nowMs: number): List[] {
  const age = (ts: string) => formatAge(Math.max(0, nowMs - Date.parse(ts)));
  const columns: Column[] = [
    { head: "PROJECT" },
    { head: "NEXT", rank: 2 },
    { head: "SINCE", rank: 1 },
    { head: "WHAT", flexible: true },
  ];
  const listOf = (isListed: (group: string) => boolean): string[][] =>
    needs.items
      .filter(({ group }) => isListed(group))
      .map(({ project, action, at, title, detail }) => [
        text(project),
        action,
        age(at),
        text(detail === null ? title : `${title}: ${detail}`),
      ]);
  const { agents, requested, waiting, broken } = needs.counts;
  return [
    {
      view: "runs",
      title: "Running",
      columns: [
        { head: "PROJECT" },
        { head: "ACTOR", rank: 2 },
        { head: "TASK", rank: 3 },
        { head: "SINCE", rank: 1 },
        { head: "SUMMARY", flexible: true },
      ],
      rows: runs.map(({ project, actor, status, started_at, summary, ...of }) => [
        text(project),
        text(actor),
        taskNames({ ...of, pr: null })[0] ?? "–",
        age(started_at),
        text(status === "waiting" ? `Waits for an answer. ${summary}` : summary),
      ]),
      empty: "No runs.",
    },
    {
      view: "reviews",
      title: "Asked of you and to review",
      columns,
      rows: listOf((group) => group !== "broken"),
      count: agents + requested + waiting,
      empty: canReadAssets ? "Nothing to review." : "This token lacks the scope assets:read.",
    },
    {
      view: "failures",
      title: groups.broken,
      columns,
      rows: listOf((group) => group === "broken"),
      count: broken,
      empty: "Nothing is broken.",
    },
  ];
}

/** Divides the lines between lists by need; each gets at least its title and one line. */
function share(needs: number[], room: number): number[] {
  const overhead = 3; // title, heads, a blank line
  const wanted = needs.map((need) => Math.max(need, 1) + overhead);
  const given = wanted.map(() => overhead + 1);
  let left = room - given.reduce((sum, lines) => sum + lines, 0);
  while (left > 0) {
    const index = given.findIndex(
      (lines, at) =>
        lines < (wanted[at] as number) &&
        lines ===
          Math.min(...given.filter((_, other) => (given[other] as number) < (wanted[other] as number))),
    );
    if (index < 0) break;
    given[index] = (given[index] as number) + 1;
    left--;
  }
  return given;
}

/** A list in `lines` lines, the last of them blank. Says how many rows do not fit. */
function drawList(
  { title, columns, rows, count = rows.length, empty }: List,
  lines: number,
  width: number,
): string[] {
  if (rows.length === 0) return [truncate(title, width), truncate(`  ${empty}`, width), ""];
  const room = lines - 3;
  const visible = rows.slice(0, room);
  const name = count > visible.length ? `${title} (${visible.length} of ${count})` : title;
  return [
    truncate(name, width),
    ...fittedTable(columns, visible, width)
      .split("\n")
      .map((line) => truncate(line, width)),
    "",
  ];
}
