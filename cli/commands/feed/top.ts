/** `svc top`: a live dashboard in the terminal. */
import { defineCommand } from "citty";
import { toMicros } from "../../../src/core/lib/time.ts";
import { type ApiAccess, apiFlags, openApi } from "../../api.ts";
import type { Schemas } from "../../client/client.ts";
import { printLine } from "../../command.ts";
import { UsageError } from "../../command-errors.ts";
import { drawTop, type TopView } from "../../top/screen.ts";
import { applyEvent, loadTop, type TopState } from "../../top/state.ts";
import { openScreen } from "../../top/terminal.ts";
import { remoteFeed } from "./feed-source.ts";

const views: Record<string, TopView> = { "0": "all", "1": "runs", "2": "reviews", "3": "failures" };
const clockMs = 1_000;
/** Several events that change runs or the review queue cause one reload. A reload is four requests. */
const reloadDelayMs = 5_000;
/** Corrects what events alone cannot tell, such as spend that was counted while the state was loaded. */
const reloadEveryMs = 60_000;

export default defineCommand({
  args: { ...apiFlags },
  async run({ args }) {
    if (!args.json && !(process.stdout.isTTY && process.stdin.isTTY))
      throw new UsageError("svc top needs a terminal. For a script, use --json.");
    const access = await openApi(args);
    const state = await loadTop(access, Date.now());
    if (!args.json) return showTop(access, state);
    await printLine(JSON.stringify(state));
    await access.close();
  },
});

/** Shows the dashboard until the user quits. */
async function showTop(access: ApiAccess, first: TopState): Promise<void> {
  let state = first;
  let view: TopView = "all";
  let problem: string | null = null;
  const screen = openScreen();
  const draw = () =>
    screen.draw(
      drawTop(state, {
        view,
        problem,
        nowMs: Date.now(),
        place: access.place,
        isColored: !process.env.NO_COLOR,
        ...screen.size(),
      }),
    );
  const reload = async () => {
    try {
      state = await loadTop(access, Date.now());
      problem = null;
    } catch (error) {
      problem = `not current: ${(error as Error).message}`;
    }
    draw();
  };
  let isReloadDue = false;
  const reloadSoon = async () => {
    if (isReloadDue) return;
    isReloadDue = true;
    await Bun.sleep(reloadDelayMs);
    isReloadDue = false;
    await reload();
  };
  screen.onResize(draw);
  setInterval(draw, clockMs);
  setInterval(reloadSoon, reloadEveryMs);
  draw();
  const stop = new AbortController();
  follow(access, state.head, stop.signal, (event) => {
    const next = applyEvent(state, event, Date.now());
    if (next) state = next;
    else reloadSoon();
  }).catch((error) => {
    problem = `not live: ${(error as Error).message}`;
  });
  await new Promise<void>((resolve) =>
    screen.onKey((key) => {
      if (key === "q") resolve();
      if (key === "r") reload();
      view = views[key] ?? view;
      draw();
    }),
  );
  stop.abort();
  process.exit(0);
}

async function follow(
  access: ApiAccess,
  head: string,
  signal: AbortSignal,
  onEvent: (event: Schemas["Event"]) => void,
): Promise<void> {
  for await (const event of remoteFeed(access).live({}, toMicros(head), signal)) onEvent(JSON.parse(event));
}
