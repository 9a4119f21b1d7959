/**
 * Sessions of Gemini CLI: `tmp/<project>/chats/session-*.jsonl`, those of subagents in a folder of the
 * session, and a JSON document in earlier versions. An answer is written again under its id when its tools
 * end. (0.61.0)
 */
import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { runIdOf } from "../../../src/integrations/agent-hooks/session-report.ts";
import { countOf, type Fields, nameOf, objectOf, parseLine, timeOf } from "./fields.ts";
import { entriesOf, filesBelow, home, sessionFiles } from "./files.ts";
import { readHead, readLines } from "./lines.ts";
import { type PastRun, type PastStep, type SessionReader, skip } from "./session.ts";

/** A document of an earlier version is read at once. */
const documentBytesMax = 64 * 1024 * 1024;

const find = () =>
  entriesOf(join(process.env.GEMINI_CLI_HOME || home(), ".gemini", "tmp")).flatMap(({ path }) =>
    filesBelow(join(path, "chats"), (name) => /\.jsonl?$/.test(name)).flatMap(
      (file) => sessionFiles(file, [file]) ?? [],
    ),
  );

/** The folder that the sessions of a project worked in. */
function folderOf(path: string): string | null {
  const [, project] = /^(.*)[\\/]chats[\\/]/.exec(path) ?? [];
  const text = readHead(join(project ?? dirname(path), ".project_root")).trim();
  return text === "" ? null : text;
}

interface Chat {
  id: string | undefined;
  started: string | undefined;
  last: string;
  /** By the id of the answer, last wins. */
  steps: Map<string, PastStep>;
}

const marks = [Buffer.from('"tokens":{'), Buffer.from('"sessionId":'), Buffer.from('"messages":[')];

function readFields(chat: Chat, fields: Fields): void {
  const set = objectOf(fields.$set);
  chat.id ??= nameOf(fields.sessionId);
  chat.started ??= timeOf(fields.startTime);
  for (const list of [fields.messages, set.messages])
    if (Array.isArray(list)) for (const message of list) readAnswer(chat, objectOf(message));
  readAnswer(chat, fields);
}

/** The cache is part of the input; results of tools are beside it, and thoughts beside the answer. */
function readAnswer(chat: Chat, { id, type, timestamp, model, tokens }: Fields): void {
  const at = timeOf(timestamp);
  if (at === undefined) return;
  if (at > chat.last) chat.last = at;
  const key = nameOf(id);
  if (type !== "gemini" || key === undefined || typeof tokens !== "object") return;
  const { input, cached, output, thoughts, tool } = objectOf(tokens);
  const name = nameOf(model);
  const cache_read = Math.min(countOf(cached), countOf(input));
  chat.steps.set(key, {
    at,
    key,
    provider: "google",
    ...(name !== undefined && { model: name }),
    tokens_in: countOf(input) - cache_read + countOf(tool),
    tokens_out: countOf(output) + countOf(thoughts),
    cache_read,
    cache_write: 0,
  });
}

export const geminiCli: SessionReader = {
  agent: "gemini-cli",
  find,
  placeOf({ paths: [path = ""] }) {
    const [, startTime] = /"startTime":\s*"([^"]{10,40})"/.exec(readHead(path)) ?? [];
    return { folder: folderOf(path), startedAt: timeOf(startTime) };
  },
  async read({ paths: [path = ""] }, reading) {
    const chat: Chat = { id: undefined, started: undefined, last: "", steps: new Map() };
    const { skipped } = reading;
    if (path.endsWith(".json")) {
      if (statSync(path).size <= documentBytesMax) {
        const fields = parseLine(readFileSync(path));
        if (fields) readFields(chat, fields);
        else skip(skipped, "broken file");
      } else skip(skipped, "file of over 64 MB");
      reading.advance(statSync(path).size);
    } else
      await readLines(path, {
        line(line, isWhole) {
          if (!marks.some((mark) => line.includes(mark))) return;
          const fields = parseLine(line);
          if (fields) readFields(chat, fields);
          else skip(skipped, "broken line", Number(isWhole));
        },
        advance: reading.advance,
        tooLong: () => skip(skipped, "line of over 32 MB"),
      });
    const { id, started, last, steps } = chat;
    const own = [...steps.values()].filter(({ key = "" }) => !reading.calls.has(key));
    for (const { key = "" } of own) reading.calls.add(key);
    const [first] = own;
    if (id === undefined || !first) return [];
    const run: PastRun = { id: runIdOf(id), started_at: started ?? first.at, last_at: last, steps: own };
    return [run];
  },
};
