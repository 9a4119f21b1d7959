/** Agents that obey, forget, and ignore what was decided; 50 tasks each are in `bun run test:faults`. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type HookMachine, openHookMachine } from "../../support/agents/hook-machine.ts";
import { makeTasks, runTempers, tempers } from "../../support/checks/tempers.ts";
import { openTestServer, type TestServer } from "../../support/test-server.ts";

let site: TestServer;
let machine: HookMachine;
beforeAll(async () => {
  [site, machine] = await Promise.all([openTestServer(), openHookMachine()]);
  machine.connect(site.server.origin, site.token);
});
afterAll(async () => {
  await machine.close();
  await site[Symbol.asyncDispose]();
});

const tasks = makeTasks(5);

test("without checks, repeats of an agent that forgets reach a person", async () => {
  const outcome = await runTempers(site, machine, tasks.slice(0, 2), "forgets", false);
  expect(outcome).toEqual({ tasks: 2, repeats: 2, honestStops: 0 });
});

test.each(tempers)(
  "with checks, no repeat of an agent that %s reaches a person, and no honest attempt is stopped",
  async (temper) => {
    const outcome = await runTempers(site, machine, tasks, temper, true);
    expect(outcome).toEqual({ tasks: tasks.length, repeats: 0, honestStops: 0 });
  },
);
