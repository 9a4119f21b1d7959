/**
 * Every operation answers with every status that the document says it can, and with no other; each answer is
 * as the document says. On Postgres, with those statuses that a statement decides.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { signedUploadPath } from "../../../src/api/operations/raw/uploads.ts";
import { openapi } from "../../../src/api/well-known/openapi.ts";
import { allScopes } from "../../../src/core/auth/scopes.ts";
import { readConfig } from "../../../src/core/config.ts";
import { statuses } from "../../../src/core/problem.ts";
import { dialects, link } from "../../support/harness.ts";
import { cloneForCheck, type OpenapiDocument, openapiValidator } from "../../support/http/openapi-answers.ts";
import {
  environment,
  type Operation,
  openVariants,
  type Place,
  StatusRequests,
} from "../../support/http/provocations.ts";
import { type Library, openLibrary } from "../../support/library.ts";
import { openSmtpServer, type SmtpServer } from "../../support/servers/smtp-server.ts";

/** Statuses that no statement decides, or that a replaced database answers with: they are tested on SQLite. */
const withoutSql: ReadonlySet<string> = new Set(
  [400, 405, 413, 415, 429, 500, 501, 503].map((status) => `${status}`),
);

/** What is not provoked, and why. Nothing is left out. */
const exceptions: Record<string, string> = {};

const config = readConfig({ SVC_SITE_URL: "http://svc.test", ...environment });
const document = openapi({ config, deprecations: [], now: () => 0 }) as {
  paths: Record<string, Record<string, Operation>>;
};
// The methods of a signed upload URL have tests of their own, each response held against the document.
const described = Object.entries(document.paths).filter(([path]) => path !== signedUploadPath);
const places: Place[] = described.flatMap(([path, { servers: _, ...operations }]) =>
  Object.entries(operations).map(([method, operation]) => ({ method, path, operation })),
);

describe.each(dialects)("on %s", (dialect) => {
  let smtp: SmtpServer;
  let library: Library;
  let provoker: StatusRequests;
  let check: ReturnType<typeof openapiValidator>;
  let worlds: ReturnType<typeof openVariants>;
  beforeAll(async () => {
    smtp = await openSmtpServer();
    // a disk store has no uploads in parts
    library = await openLibrary(dialect, "bucket", { ...environment, SVC_SMTP_URL: smtp.url });
    await link(library.ctx.data, "hello", "Codertocat/Hello-World");
    provoker = new StatusRequests(library, await library.mint(allScopes, { name: "everything" }));
    worlds = openVariants(library);
    const served = await (await library.ask("/openapi.json")).json();
    expect(served).toEqual(JSON.parse(JSON.stringify(document)));
    check = openapiValidator(served as OpenapiDocument);
  });
  afterAll(async () => {
    await library.close();
    await smtp[Symbol.asyncDispose]();
  });

  test.each(places.map((place) => [place.operation.operationId, place] as const))("%s", async (id, place) => {
    const provoked = new Set<string>();
    const isWhole = dialect === "sqlite";
    const all = Object.keys(place.operation.responses);
    const documented = isWhole ? all : all.filter((status) => !withoutSql.has(status));
    // Also statuses that are not in the document: what they provoke must be an answer that is.
    for (const status of new Set([...documented, ...(isWhole ? Object.keys(statuses) : [])])) {
      if (exceptions[`${id} ${status}`]) continue;
      const ways = await provoker.requestsFor(place, Number(status));
      for (const [index, { world, send }] of ways.entries()) {
        const { path, ...init } = send;
        const answer = await worlds[world](path, init);
        const meant = await check(
          path,
          init.method ?? (init.json === undefined ? "GET" : "POST"),
          cloneForCheck(answer),
          init,
        );
        await answer.body?.cancel();
        // What comes first in a world only leads there.
        if (world === "quota" && index < ways.length - 1) continue;
        // Where the document does not have it, anything may come that the document has; `check` saw to that.
        if (!documented.includes(status)) continue;
        expect([id, send.path, world, answer.status]).toEqual([id, send.path, world, Number(status)]);
        expect(meant).toContain(id);
        provoked.add(status);
      }
    }
    expect([...provoked].toSorted()).toEqual(documented.toSorted());
  });
});
