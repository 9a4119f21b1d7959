/** `svc licenses`: prints the licenses of Bun and of every package in the executable. */
import { defineCommand } from "citty";
import { unpacked } from "../../../src/core/lib/packed-bytes.ts";
import licenses from "../../build/third-party-licenses.md" with { type: "file" };
import { printLine } from "../../command.ts";

export default defineCommand({
  run: async () =>
    printLine(new TextDecoder().decode(unpacked(await Bun.file(licenses as string).bytes())).trimEnd()),
});
