/** The size of the executable, and commands that agents and people wait for, against a compiled program that does nothing. */
import { inRounds, median, type Place, type Result } from "../measuring/measure.ts";
import { compilePlain } from "../measuring/plain.ts";
import { withData } from "../measuring/svc.ts";
import { type Measure, resultOf } from "../measuring/targets.ts";

const rounds = 21;

const executableMegabytesMax = 130;

/** The row of each command: its words, what it reads, and how long it may take. */
const commands = {
  "svc hook, end of a session": [["hook", "claude-code"], 8.5],
  "svc --version": [["--version"], 9],
  "svc --help": [["--help"], 35],
  "svc event --help": [["event", "--help"], 15],
  "svc brief, local folder": [["brief", "atlas"], 40],
  "svc recall, local folder": [["recall", "words"], 40],
} as const satisfies Partial<Record<Measure, readonly [readonly string[], number]>>;

export async function measureHelp(place: Place, svc: string): Promise<Result[]> {
  const data = place.path("commands");
  await withData(`sqlite:${data}/svc.db`, (data) =>
    data.atomically((writes) => writes.linkProject({ slug: "atlas", repo: "acme/atlas" }, 1)),
  );
  const env = { SVC_DATA_DIR: data, HOME: place.path("home"), USER: "bench" };
  const input = JSON.stringify({ session_id: "s-1", hook_event_name: "SessionEnd", cwd: data });
  const runOf = (command: string[]) => async () => {
    const startedAt = performance.now();
    const { exitCode, resourceUsage } = Bun.spawnSync(command, { env, stdin: Buffer.from(input) });
    if (exitCode !== 0) throw new Error(`${command.join(" ")} exited with ${exitCode}`);
    return { ms: performance.now() - startedAt, cpu: Number(resourceUsage.cpuTime.total) };
  };
  const empty = await compilePlain(place, "empty");
  const runs = Object.entries(commands).map(([name, [words]]) => [name, runOf([svc, ...words])] as const);
  const found = await inRounds(rounds, { empty: runOf([empty]), ...Object.fromEntries(runs) });
  const timesOf = (name: string) => found[name as "empty"].map(({ ms }) => ms);
  const ms = (times: number[]) => `${median(times).toFixed(1)} ms`;
  const megabytes = Bun.file(svc).size / 1e6;
  const size = resultOf(
    "size of the executable",
    `${megabytes.toFixed(1)} MB`,
    `${executableMegabytesMax} MB`,
    megabytes / executableMegabytesMax,
    megabytes,
  );
  const times = Object.entries(commands).map(([name, [, most]]) => {
    const times = timesOf(name);
    const reference = `${most} ms (an empty program: ${ms(timesOf("empty"))})`;
    const row = resultOf(name as Measure, ms(times), reference, median(times) / most, median(times));
    return { ...row, rounds: found[name as "empty"].map(({ cpu }) => cpu) };
  });
  return [size, ...times];
}
