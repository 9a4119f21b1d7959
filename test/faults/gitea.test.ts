/** A real Gitea: its webhooks in JSON and in a form, a comment on a rejection, and a renamed repository. */
import { expect, test } from "bun:test";
import type { Event } from "../../src/feed/schema.ts";
import {
  migratedDatabase,
  program,
  programToken,
  startServer,
  temporaryFolder,
  until,
} from "../support/harness.ts";
import { buildGitea, giteaVersion, startGitea } from "../support/servers/gitea.ts";
import { scale } from "./promises.ts";

const built = scale === "suite" ? { missing: null } : await buildGitea();
if ("missing" in built && built.missing !== null)
  process.stderr.write(`Gitea ${giteaVersion} is not tested: ${built.missing}.\n`);

test.skipIf("missing" in built)(
  "Gitea's issues, pull requests, and reviews are events, and a rejection is a comment there",
  async () => {
    await using gitea = await startGitea("folder" in built ? built.folder : "");
    const [ana, bob] = [await gitea.addUser("ana"), await gitea.addUser("bob")];
    await using database = await migratedDatabase("sqlite");
    await using folder = await temporaryFolder();
    const env = {
      SVC_DATABASE_URL: database.url,
      SVC_DATA_DIR: folder.path,
      SVC_GITEA_WEBHOOK_SECRET: "a secret",
      SVC_GITEA_TOKEN: ana,
      SVC_GITEA_API_URL: `${gitea.origin}/api/v1`,
    };
    const host = new URL(gitea.origin).host;
    const linked = await program(
      ["project", "link", "atlas", "--repo", "ana/atlas", "--forge", "gitea", "--host", host],
      env,
    );
    expect([linked.code, linked.errors]).toEqual([0, expect.stringContaining(`to ${host}/ana/atlas`)]);
    await using server = await startServer(database, env);
    const api = async <T>(path: string, init: RequestInit = {}): Promise<T> => {
      const headers = { authorization: `Bearer ${programToken}`, ...init.headers };
      const response = await fetch(`${server.origin}/api/v1${path}`, { ...init, headers });
      if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
      return (await response.json()) as T;
    };
    const summaries = async () => {
      const { events } = await api<{ events: Event[] }>("/feed?project=atlas&limit=100");
      return events.map(({ kind, actor, summary }) => `${kind} ${actor}: ${summary}`).toReversed();
    };
    const expectEvent = (event: string) =>
      until(async () => (await summaries()).includes(event), event).catch(async (error) => {
        throw new Error(`${error.message}; the feed has ${JSON.stringify(await summaries())}`);
      });

    await gitea.call(ana, "POST", "/user/repos", { name: "atlas", auto_init: true, default_branch: "main" });
    const repository = "/repos/ana/atlas";
    // Each change is delivered in both encodings, and is one event.
    for (const content_type of ["json", "form"])
      await gitea.call(ana, "POST", `${repository}/hooks`, {
        type: "gitea",
        active: true,
        events: ["issues", "pull_request", "pull_request_review"],
        config: { url: `${server.origin}/api/hooks/gitea`, content_type, secret: "a secret" },
      });
    await gitea.call(ana, "POST", `${repository}/issues`, { title: "The map is too dark" });
    await expectEvent("issue.opened human:ana: Issue #1 opened: The map is too dark");

    const content = Buffer.from("<svg/>").toString("base64");
    await gitea.call(ana, "POST", `${repository}/contents/map.svg`, {
      content,
      new_branch: "map",
      message: "Draw",
    });
    await gitea.call(ana, "POST", `${repository}/pulls`, {
      head: "map",
      base: "main",
      title: "Draw the map",
      body: "Fixes #1",
    });
    await expectEvent("pr.opened human:ana: PR #2 opened: Draw the map");
    await gitea.call(bob, "POST", `${repository}/pulls/2/reviews`, {
      event: "APPROVED",
      body: "Much better",
    });
    await expectEvent("pr.review human:bob: PR #2 approved: Much better");
    await gitea.call(ana, "POST", `${repository}/pulls/2/merge`, { Do: "merge" });
    await expectEvent("pr.merged human:ana: PR #2 merged: Draw the map");
    await expectEvent("issue.closed human:ana: Issue #1 closed: The map is too dark");

    const form = new FormData();
    form.set("file", new File(["a map"], "map.txt"));
    for (const [name, value] of Object.entries({ project: "atlas", issue: "1", title: "Map" }))
      form.set(name, value);
    const { id } = await api<{ id: string }>("/assets", { method: "POST", body: form });
    await api(`/assets/${id}/review`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ decision: "rejected", note: "The harbor is missing." }),
    });
    const comments = () => gitea.call<{ body: string }[]>(ana, "GET", `${repository}/issues/1/comments`);
    await until(
      async () => (await comments()).some(({ body }) => body.includes("> The harbor is missing.")),
      "the comment",
    );
    await until(
      async () =>
        (await gitea.call<{ state: string }>(ana, "GET", `${repository}/issues/1`)).state === "open",
      "the issue is open again",
    );
    await expectEvent("issue.opened human:ana: Issue #1 reopened: The map is too dark");

    await gitea.call(ana, "PATCH", repository, { name: "atlas-two" });
    await gitea.call(ana, "POST", "/repos/ana/atlas-two/issues", { title: "Add a scale" });
    await expectEvent("issue.opened human:ana: Issue #3 opened: Add a scale");
    expect((await api<{ repo: string }>("/projects/atlas")).repo).toBe("ana/atlas-two");
    const all = await summaries();
    expect(all.length).toBe(new Set(all).size);
  },
  600_000,
);
