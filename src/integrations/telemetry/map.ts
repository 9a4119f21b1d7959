/** Maps a record of telemetry to an event. Pure: what it does not read is gone. */
import { perObject } from "../../core/lib/cache.ts";
import { placeOfRecord } from "./placement.ts";
import type { Attributes, TelemetryRecord } from "./records.ts";
import { claudeCode } from "./sources/claude-code.ts";
import { codex } from "./sources/codex.ts";
import { conventions } from "./sources/conventions.ts";
import { geminiCli } from "./sources/gemini-cli.ts";
import { copilot, genaiSpans, langfuse } from "./sources/genai-spans.ts";
import type { Mapped, Source, SourceFacts } from "./sources/source.ts";

/** By key; the first that owns a record maps it. */
export const sources = {
  "claude-code": claudeCode,
  codex,
  "gemini-cli": geminiCli,
  copilot,
  langfuse,
  frameworks: genaiSpans,
} as const satisfies Record<string, Source>;
export type SourceKey = keyof typeof sources;

/** Null for a record that is no event of the feed. */
export function mapRecord(record: TelemetryRecord): Mapped | null {
  const source = ownerOf(record);
  const mapped = sources[source].map(record);
  if (!mapped) return null;
  const email = emailOf(record);
  const event = email === undefined ? mapped.event : { ...mapped.event, email };
  return { ...mapped, event, source, place: placeOfRecord(record) };
}

/** Claude Code and OpenTelemetry name it `user.email`; some senders have an email as the id of the user. */
const emailKeys = ["user.email", "enduser.id", "user.id", "langfuse.user.id"];
const emailShape = /^[^\s@"]{1,64}@[^\s@"]{1,189}$/;

function emailOf({ attributes, resource }: TelemetryRecord): string | undefined {
  for (const key of emailKeys) {
    const value = attributes.get(key) ?? resource.get(key);
    if (typeof value === "string" && emailShape.test(value)) return value;
  }
  return undefined;
}

/** The records of a request share their resource. */
const ownersByScope = perObject((_resource: Attributes) => new Map<string, SourceKey>());

function ownerOf({ resource, scope }: TelemetryRecord): SourceKey {
  const owners = ownersByScope(resource);
  const known = owners.get(scope);
  if (known) return known;
  const service = String(resource.get("service.name") ?? "");
  const keys = Object.keys(sources) as SourceKey[];
  const owner = keys.find((key) => sources[key].owns(scope, service)) ?? "frameworks";
  owners.set(scope, owner);
  return owner;
}

/** Senders with an API of their own; see gateways/. */
const gateways: SourceFacts[] = [
  {
    label: "LiteLLM",
    sends: "Rows of the callback `generic_api`",
    tokens: "Input includes the cache: taken out",
    cost: "reported or computed",
    runs: "None",
  },
  {
    label: "Langfuse SDK up to 3 (JavaScript), 2 (Python)",
    sends: "`generation-create` and `generation-update`",
    tokens: "As their parts add up to the total",
    cost: "reported or computed",
    runs: "None",
  },
];

/** For the documentation: one row for each source; frameworks share theirs. */
export const sourceRows: SourceFacts[] = [...Object.values(sources), ...gateways];

export const conventionLabels: string[] = Object.values(conventions).map(({ label }) => label);
