/** Fifty tasks for agents of three tempers, without checks and with them: the table of the documentation. */
import { expect, test } from "bun:test";
import { openHookMachine } from "../support/agents/hook-machine.ts";
import { makeTasks, type Outcome, runTempers, tempers } from "../support/checks/tempers.ts";
import { openTestServer } from "../support/test-server.ts";

test("with checks, no repeat reaches a person, whatever the temper, and no honest attempt is stopped", async () => {
  const tasks = makeTasks(50);
  const found: Record<string, Outcome> = {};
  for (const hasChecks of [false, true]) {
    await using site = await openTestServer();
    await using machine = await openHookMachine();
    machine.connect(site.server.origin, site.token);
    for (const temper of tempers)
      found[`${temper}, ${hasChecks ? "with" : "without"} checks`] = await runTempers(
        site,
        machine,
        tasks,
        temper,
        hasChecks,
      );
  }
  process.stdout.write(`${JSON.stringify(found, null, 2)}\n`);
  for (const [name, { repeats, honestStops }] of Object.entries(found)) {
    const isHeld = name.endsWith("with checks") || name.startsWith("obeys");
    expect([name, repeats, honestStops]).toEqual([name, isHeld ? 0 : 50, 0]);
  }
}, 3_600_000);
