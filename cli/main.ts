#!/usr/bin/env bun
/**
 * The entry point. What agents wait for is loaded before, and without, everything else: `svc hook` has 50 ms.
 */
const words = process.argv.slice(2);
const [command, ...rest] = words;

if (command === "hook" && !rest.some((word) => word.startsWith("-")))
  await (await import("./agents/hook.ts")).runHook(...rest);
else if (command === "send-spool") await (await import("./agents/spool/sender.ts")).runSender();
else await (await import("./run-command.ts")).runWords(words);
