#!/usr/bin/env bun
/** The program. Each command is loaded when it is called, so that `svc --help` never loads the server. */
import { defineCommand, runMain } from "citty";
import { commit, description, version } from "../src/version.ts";

const load = <T>(module: Promise<{ default: T }>): Promise<T> => module.then((one) => one.default);

const main = defineCommand({
  meta: { name: "svc", version: `${version} (${commit})`, description },
  subCommands: {
    serve: () => load(import("./serve.ts")),
  },
});

await runMain(main);
