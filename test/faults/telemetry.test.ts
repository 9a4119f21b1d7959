/** A session of the real OpenTelemetry SDK while the server is killed: each usage is in the feed once. */
import { expect, test } from "bun:test";
import { SpanKind, type Tracer } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import {
  dialects,
  linkIn,
  migratedDatabase,
  must,
  program,
  rowsOf,
  type Server,
  startServer,
  storedEvents,
  temporaryFolder,
  until,
} from "../support/harness.ts";
import { reached, times } from "./promises.ts";

const spans = times("telemetrySpans");
const kills = 2;
/** Several exports between two kills, at any number of spans. */
const batchSize = Math.min(512, Math.ceil(spans / 20));

/** A tracer that exports as applications do, with room for all spans and time for a restart. */
function openTracer(url: string, token: string): { tracer: Tracer; flush(): Promise<void> } {
  const headers = { authorization: `Bearer ${token}` };
  const exporter = new OTLPTraceExporter({ url, headers, timeoutMillis: 60_000 });
  const processor = new BatchSpanProcessor({
    ...{ exporter, maxQueueSize: spans, maxExportBatchSize: batchSize },
    ...{ scheduledDelayMillis: 20, exportTimeoutMillis: 120_000 },
  });
  const provider = new TracerProvider({ spanProcessors: [processor] });
  return {
    tracer: provider.getTracer("crew"),
    async flush() {
      await provider.forceFlush({ timeoutMillis: 120_000 });
      // The processor does not wait for an export that is on its way, or between two attempts.
      await exporter.forceFlush();
    },
  };
}

/** A call of a model that used as many tokens as its index says. */
function call(tracer: Tracer, index: number): void {
  const attributes = {
    ...{ "gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.agent.name": "crew" },
    ...{ "gen_ai.request.model": "gpt-6", "gen_ai.conversation.id": `session-${index % 7}` },
    ...{ "gen_ai.usage.input_tokens": index, "gen_ai.usage.output_tokens": 1 },
    "gen_ai.input.messages": "a prompt that is not stored",
  };
  tracer.startSpan("chat gpt-6", { kind: SpanKind.CLIENT, attributes }).end();
}

test.each(dialects)(
  `of ${spans} spans, with the server killed twice, every usage is there once, on %s`,
  async (dialect) => {
    await using database = await migratedDatabase(dialect);
    await using folder = await temporaryFolder();
    const env = { SVC_DATABASE_URL: database.url, SVC_DATA_DIR: folder.path };
    await linkIn(database);
    const created = await program(
      ["token", "create", "crew", "--role", "telemetry", "--project", "atlas"],
      env,
    );
    const token = created.output.trim();
    let server: Server = await startServer(database, env);
    const { port } = new URL(server.origin);
    const usages = async () =>
      (await storedEvents(database.url))
        .filter(({ kind }) => kind === "step.usage")
        .map((event) => event.tokens_in);
    const { tracer, flush } = openTracer(`${server.origin}/api/otlp/v1/traces`, token);
    try {
      let sent = 0;
      for (let kill = 1; kill <= kills; kill++) {
        // Killed with spans on their way: those of this part are only some of them there.
        const part = Math.floor((spans * kill) / (kills + 1));
        const before = (await usages()).length;
        while (sent < part) call(tracer, sent++);
        await until(async () => (await usages()).length > before, "some spans of this part", 60_000);
        await server.kill();
        server = await startServer(database, env, ["--port", port]);
      }
      while (sent < spans) call(tracer, sent++);
      await flush();
      const found = (await usages()).toSorted((one, other) => one - other);
      expect(found.length).toBe(spans);
      expect(found.every((tokens, index) => tokens === index)).toBe(true);
      reached("telemetrySpans", spans);
      const [text] = await rowsOf(
        database.url,
        "select count(*) as found from events where wire like '%prompt%'",
      );
      expect(Number(must(text).found)).toBe(0);
    } finally {
      await server.close();
    }
  },
);
