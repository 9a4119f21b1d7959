/** `svc licenses`: prints the licenses of Bun and of every package in the executable. */
import { defineCommand } from "citty";
import licenses from "../../build/third-party-licenses.md" with { type: "text" };
import { printLine, reportErrors } from "../../command.ts";

export default defineCommand({ args: {}, run: reportErrors(() => printLine(licenses.trimEnd())) });
