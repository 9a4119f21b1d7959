/**
 * Sessions of GitHub Copilot CLI: `session-state/<id>/events.jsonl`. 1.0.102 has a record for each request;
 * earlier versions have only sums at the end of each leg of a session.
 */
import { join } from "node:path";
import { runIdOf } from "../../../src/integrations/agent-hooks/session-report.ts";
import { countOf, type Fields, nameOf, objectOf, parseLine, parseText, timeOf } from "./fields.ts";
import { entriesOf, home, sessionFiles } from "./files.ts";
import { firstTimeIn, lastTimeIn, readHead, readLines } from "./lines.ts";
import { type PastRun, type PastStep, type SessionReader, skip } from "./session.ts";

const find = () =>
  entriesOf(join(process.env.COPILOT_HOME || join(home(), ".copilot"), "session-state")).flatMap(
    ({ name, path }) => sessionFiles(name, [join(path, "events.jsonl")]) ?? [],
  );

/** The type stands first. */
const typeBytes = 64;
const types = /^\{"type":"session\.(?:start|usage_record|shutdown)"/;

/** What the first line says of the session. */
function startOf(path: string): Fields {
  const head = readHead(path);
  return objectOf(parseText(head.slice(0, head.indexOf("\n")))?.data);
}

/** The cache is part of the input, and reasoning of the output. */
function stepOf(usage: Fields, model: unknown, at: string, key: unknown): PastStep {
  const [name, id] = [nameOf(model), nameOf(key)];
  const cache_read = countOf(usage.cacheReadTokens);
  const cache_write = countOf(usage.cacheWriteTokens);
  const duration = countOf(usage.duration);
  return {
    at,
    ...(id !== undefined && { key: id }),
    ...(name !== undefined && { model: name }),
    tokens_in: Math.max(0, countOf(usage.inputTokens) - cache_read - cache_write),
    tokens_out: countOf(usage.outputTokens),
    cache_read,
    cache_write,
    ...(duration > 0 && { duration_ms: duration }),
  };
}

export const copilot: SessionReader = {
  agent: "copilot",
  find,
  placeOf({ paths: [path = ""] }) {
    const { context, startTime } = startOf(path);
    const { cwd, repository, repositoryHost } = objectOf(context);
    const isNamed = typeof repository === "string" && typeof repositoryHost === "string";
    return {
      folder: typeof cwd === "string" ? cwd : null,
      remote: isNamed ? { host: repositoryHost, path: repository } : null,
      startedAt: timeOf(startTime),
    };
  },
  async read({ key: id, paths: [path = ""], changedAt }, reading) {
    const [records, sums]: [PastStep[], PastStep[]] = [[], []];
    await readLines(path, {
      line(line, isWhole) {
        if (!types.test(line.toString("latin1", 0, typeBytes))) return;
        const fields = parseLine(line);
        const at = timeOf(fields?.timestamp);
        if (!fields || at === undefined) {
          skip(reading.skipped, "broken line", Number(isWhole));
          return;
        }
        const data = objectOf(fields.data);
        const usage = objectOf(data.usage);
        const { usageId } = objectOf(usage.accounting);
        if (fields.type === "session.usage_record")
          records.push(stepOf(usage, usage.model, at, usageId ?? usage.apiCallId ?? fields.id));
        const snapshot = objectOf(data.accountingSnapshot ?? data);
        if (fields.type === "session.shutdown")
          for (const [model, one] of Object.entries(objectOf(snapshot.modelMetrics)))
            sums.push(stepOf(objectOf(objectOf(one).usage), model, at, `${fields.id}:${model}`));
      },
      advance: reading.advance,
      tooLong: () => skip(reading.skipped, "line of over 32 MB"),
    });
    const { startTime, context } = startOf(path);
    const steps = records.length > 0 ? records : sums;
    const started_at = timeOf(startTime) ?? firstTimeIn(path);
    if (started_at === undefined || steps.length === 0) return [];
    const branch = nameOf(objectOf(context).branch, 255);
    const run: PastRun = {
      id: runIdOf(id),
      ...(branch !== undefined && { branch }),
      started_at,
      last_at: lastTimeIn(path, changedAt) ?? started_at,
      steps,
    };
    return [run];
  },
};
