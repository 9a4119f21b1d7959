/**
 * A session hears the newest verdict: its hook waits for the server, over TLS and a distant line too, and a
 * server that gives nothing costs it no more than that wait. The long run prints what a hook takes.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import {
  type HookCall,
  type HookMachine,
  openHookMachine,
  sessionHook,
} from "../support/agents/hook-machine.ts";
import { scaled, temporaryFolder } from "../support/harness.ts";
import { timesLine } from "../support/process-times.ts";
import { type DistantServer, openDistantServer } from "../support/servers/distant-server.ts";
import { freePort } from "../support/servers/proxy.ts";
import { openTestServer, type TestServer } from "../support/test-server.ts";
import { reached, times } from "./promises.ts";

const isLong = scaled(false, true);
const delaysMs = [0, 15, 80];
/** What a session may take beside its wait: the start and the exit of the program, on a busy machine. */
const besideMs = scaled(1_400, 500);

let site: TestServer;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let number = 0;
/** Where connections are taken, and nothing is ever answered. */
let silentPort: number;
const silent = createServer((socket) => socket.on("error", () => {}));

beforeAll(async () => {
  [site, folder] = await Promise.all([openTestServer(), temporaryFolder()]);
  await once(silent.listen(0, "127.0.0.1"), "listening");
  silentPort = (silent.address() as AddressInfo).port;
});
afterAll(async () => {
  silent.close();
  await site[Symbol.asyncDispose]();
  await folder.close();
});

const contextIn = ({ output }: HookCall): string =>
  output === "" ? "" : JSON.parse(output).hookSpecificOutput.additionalContext;
const startSession = (machine: HookMachine) =>
  machine.hook(sessionHook(`session-${++number}`, "SessionStart", { source: "startup" }));

/** @returns the note */
async function rejectSomething(): Promise<string> {
  const note = `Rejected because of reason ${++number}.`;
  const { id } = await site.upload(`banner-${number}.txt`, `banner ${number}`);
  await site.api("PUT", `/assets/${id}/review`, { decision: "rejected", note });
  return note;
}

describe.each(delaysMs)("over TLS and %d ms each way", (delayMs) => {
  let distant: DistantServer;
  beforeAll(async () => {
    distant = await openDistantServer(site.server.origin, delayMs, folder.path);
  });
  afterAll(() => distant.close());

  const sessions = times("freshBriefs");
  test(`${sessions} of ${sessions} sessions that start after a rejection have its note`, async () => {
    await using machine = await openHookMachine({ NODE_EXTRA_CA_CERTS: distant.certificate });
    machine.connect(distant.origin, site.token);
    const calls: HookCall[] = [];
    for (let index = 0; index < sessions; index++) {
      const note = await rejectSomething();
      await Bun.sleep(scaled(0, 1_000));
      const call = await startSession(machine);
      expect([call.code, call.errors]).toEqual([0, ""]);
      expect(contextIn(call)).toContain(note);
      calls.push(call);
    }
    if (isLong) process.stderr.write(timesLine(`session start, ${delayMs} ms away`, calls));
    reached("freshBriefs", sessions);
  });
});

type Behavior = "answers" | "is silent" | "trickles" | "is broken";

/** A server that changes how it behaves. */
function openFront(saved: string): { server: Bun.Server<undefined>; behave(behavior: Behavior): void } {
  let behavior: Behavior = "answers";
  const trickle = () =>
    new ReadableStream({
      async pull(controller) {
        await Bun.sleep(100);
        controller.enqueue(" ");
      },
    });
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch() {
      if (behavior === "answers") return Response.json({ text: saved });
      if (behavior === "is silent") return new Promise<Response>(() => {});
      return behavior === "trickles" ? new Response(trickle()) : new Response("", { status: 502 });
    },
  });
  return {
    server,
    behave(chosen) {
      behavior = chosen;
    },
  };
}

describe("a session whose server", () => {
  const saved = "Maps are drawn for screens";

  test.concurrent.each([
    ["is silent", "did not answer in time"],
    ["trickles", "did not answer in time"],
    ["is broken", "answered with the status 502"],
    ["is away", "cannot be reached (ECONNREFUSED)"],
  ] as const)(
    "%s gets the saved brief after at most 1.5 s, with its age in the first line",
    async (fault, why) => {
      await using machine = await openHookMachine();
      const { server, behave } = openFront(saved);
      try {
        machine.connect(server.url.origin, site.token);
        expect(contextIn(await startSession(machine))).toEndWith(saved);
        if (fault === "is away") await server.stop(true);
        else behave(fault);
        const call = await startSession(machine);
        const [first, ...rest] = contextIn(call).split("\n");
        expect(first).toContain("is less than a minute old");
        expect(first).toContain(why);
        expect(first).toContain("svc_brief");
        expect(rest.at(-1)).toBe(saved);
        expect(call.ms).toBeLessThan(1_500 + besideMs);
      } finally {
        await server.stop(true);
      }
    },
  );

  test.concurrent.each([
    ["is not there", async () => `http://127.0.0.1:${await freePort()}`],
    ["is in no network", async () => "http://192.0.2.1"],
    ["has no address", async () => "http://svc.invalid"],
    ["is silent from the first byte of TLS", async () => `https://127.0.0.1:${silentPort}`],
  ])("%s, and gave no brief before, is told so after at most 1.5 s", async (_, origin) => {
    await using machine = await openHookMachine();
    machine.connect(await origin(), site.token);
    const call = await startSession(machine);
    expect(contextIn(call)).toMatch(/^No brief from svc, .*(in time|cannot be reached).*svc_brief/);
    expect(call.ms).toBeLessThan(1_500 + besideMs);
  });

  test("waits as long as SVC_HOOK_WAIT_MS says", async () => {
    await using machine = await openHookMachine({ SVC_HOOK_WAIT_MS: "0" });
    machine.connect(`https://127.0.0.1:${silentPort}`, site.token);
    const call = await startSession(machine);
    expect(contextIn(call)).toContain("did not answer in time");
    expect(call.ms).toBeLessThan(besideMs);
  });
});
