/** What a minified build of the web framework once lost in the executable. */
import { expect, test } from "bun:test";
import { freshDatabase, program, startServer } from "../support/harness.ts";

test("a server knows the address of its client", async () => {
  await using database = await freshDatabase("sqlite");
  await using server = await startServer(database);
  const refused = await fetch(`${server.origin}/api/v1/projects/atlas/brief`, {
    headers: { Authorization: "Bearer nobody" },
  });
  expect(refused.status).toBe(401);
  await server.terminate(); // writes the refusals that it counted
  const audit = await program(["audit", "--json"], { SVC_DATABASE_URL: database.url });
  expect(audit.output).toContain('"127.0.0.1"');
});
