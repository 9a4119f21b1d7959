#!/usr/bin/env bun
/**
 * The entry point. A hook that only reports has 50 ms: `svc hook` is loaded before, and without, everything
 * else, and in the executable it is in the same chunk, see cli/build/hook-chunk.ts.
 */
import { runHook } from "./agents/hook.ts";
import { printVersion } from "./help/version.ts";

const words = process.argv.slice(2);
const [command, ...rest] = words;

if (command === "hook" && !rest.some((word) => word.startsWith("-"))) await runHook(...rest);
else if (command === "--version" || command === "-v") printVersion();
// internal: the server starts it for uploads, and `svc help` does not list it
else if (command === "probe") await (await import("./probe.ts")).runProbe();
else if (command === "send-spool") await (await import("./agents/spool/sender.ts")).runSender();
else {
  if (command === "serve") (await import("./usual-jit.ts")).restartWithLateCompiler();
  await (await import("./run-command.ts")).runWords(words);
}
