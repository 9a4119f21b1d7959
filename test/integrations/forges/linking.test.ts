/** Linking a project to a repository on a forge: by name, forge and host. */
import { describe, expect, test } from "bun:test";
import type { SourceRepository } from "../../../src/core/forges/schema.ts";
import { linkOf } from "../../../src/feed/forges/repository-names.ts";
import { taskUrlOn } from "../../../src/feed/forges/task-url.ts";
import { linkProject } from "../../../src/feed/projects/projects.ts";
import type { ProjectLink } from "../../../src/feed/projects/schema.ts";
import type { ProjectDetail } from "../../../src/overview/projects/schema.ts";
import {
  dialects,
  freshDatabase,
  openApp,
  program,
  type TestApp,
  temporaryFolder,
} from "../../support/harness.ts";

const say = ({ ctx }: TestApp, link: ProjectLink) => linkProject(ctx, link, "human:zoe");
const shown = async (app: TestApp, slug: string) => {
  const { forge, host, repo } = (await (await app.ask(`/api/v1/projects/${slug}`)).json()) as ProjectDetail;
  return [forge, host, repo];
};

describe.each([...dialects])("a project on %s", (dialect) => {
  test("is on github.com unless the link says otherwise, and stays where it is when other fields change", async () => {
    await using app = await openApp(dialect, { SVC_PUBLIC_READ: "1" });
    await say(app, { slug: "atlas", repo: "acme/atlas" });
    expect(await shown(app, "atlas")).toEqual(["github", "github.com", "acme/atlas"]);
    await say(app, { slug: "atlas", repo: "group/sub/atlas", forge: "gitlab", host: "gitlab.example.com" });
    await say(app, { slug: "atlas", repo: "group/sub/atlas", stack: "Bun" });
    expect(await shown(app, "atlas")).toEqual(["gitlab", "gitlab.example.com", "group/sub/atlas"]);
    await say(app, { slug: "atlas", repo: "acme/atlas", forge: "bitbucket" });
    expect(await shown(app, "atlas")).toEqual(["bitbucket", "bitbucket.org", "acme/atlas"]);
  });

  test("can have the name of one on another forge or host, but not the same repository", async () => {
    await using app = await openApp(dialect, { SVC_PUBLIC_READ: "1" });
    const places = [
      {},
      { forge: "gitlab" },
      { forge: "gitlab", host: "gitlab.example.com" },
      { forge: "gitea", host: "codeberg.org" },
    ] as const;
    for (const [index, place] of places.entries())
      expect(await say(app, { slug: `atlas-${index}`, repo: "acme/atlas", ...place })).toBe("linked");
    for (const place of places) {
      const again = say(app, { slug: "other", repo: "ACME/Atlas", ...place });
      expect(await again.catch(({ status, message }) => [status, message])).toEqual([
        409,
        expect.stringContaining("is already linked to another project."),
      ]);
    }
    const { data } = app.ctx;
    const projectOf = async (repository: SourceRepository) =>
      linkOf(await data.linksOfRepository(repository), { repository });
    expect([...(await data.projectsOfRepos(["acme/atlas"]))]).toEqual([["acme/atlas", "atlas-0"]]);
    for (const [slug, forge, host] of [
      ["atlas-1", "gitlab", "gitlab.com"],
      ["atlas-2", "gitlab", "gitlab.example.com"],
      ["atlas-3", "gitea", "codeberg.org"],
      ["atlas-0", "github", "github.example.com"],
    ] as const)
      expect((await projectOf({ forge, host, id: null, full_name: "Acme/atlas" }))?.slug).toBe(slug);
    expect(await projectOf({ forge: "gitea", host: "gitea.com", id: 1, full_name: "acme/atlas" })).toBeNull();
  });

  test("of which several have the name, and none is on github.com, is not guessed for an event", async () => {
    await using app = await openApp(dialect);
    await say(app, { slug: "one", repo: "acme/atlas", forge: "gitlab" });
    expect([...(await app.ctx.data.projectsOfRepos(["acme/atlas"]))]).toEqual([["acme/atlas", "one"]]);
    await say(app, { slug: "two", repo: "acme/atlas", forge: "bitbucket" });
    expect([...(await app.ctx.data.projectsOfRepos(["acme/atlas"]))]).toEqual([]);
  });

  test("has a name that its forge allows: names are part of URLs", async () => {
    await using app = await openApp(dialect);
    const refused: Omit<ProjectLink, "slug">[] = [
      { repo: "group/sub/project" },
      { repo: "acme/.." },
      { forge: "gitlab", repo: "group/../admin" },
      { forge: "gitea", host: "codeberg.org", repo: "a/b/c" },
      { forge: "bitbucket", repo: "a/b/c" },
    ];
    for (const link of refused) {
      const outcome = say(app, { slug: "atlas", ...link });
      expect(await outcome.catch(({ status, message }) => [status, message])).toEqual([
        400,
        expect.stringMatching(/^repo must be a repository on \w+: /),
      ]);
    }
  });

  test.each([
    ["github", "github.com", "acme/atlas", "/issues/12", "/pull/34"],
    ["gitlab", "gitlab.example.com", "group/sub/project", "/-/issues/12", "/-/merge_requests/34"],
    ["gitea", "codeberg.org", "acme/atlas", "/issues/12", "/pulls/34"],
    ["bitbucket", "bitbucket.org", "acme/atlas", "/issues/12", "/pull-requests/34"],
  ] as const)("on %s links to the pages of its tasks", async (forge, host, repo, issue, pull) => {
    await using app = await openApp(dialect);
    const place = { forge, host, repo };
    const site = `https://${host}/${repo}`;
    expect(taskUrlOn(app.ctx.config, place, { issue: 12, pr: null })).toBe(site + issue);
    expect(taskUrlOn(app.ctx.config, place, { issue: null, pr: 34 })).toBe(site + pull);
    expect(taskUrlOn(app.ctx.config, place, { issue: null, pr: null })).toBeNull();
  });
});

test("svc project link takes the forge and the host, and says in one line what is wrong", async () => {
  await using database = await freshDatabase("sqlite");
  await using folder = await temporaryFolder();
  const env = { SVC_DATABASE_URL: database.url, SVC_DATA_DIR: folder.path };
  const link = (...args: string[]) =>
    program(["project", "link", "atlas", "--repo", "group/sub/project", ...args], env);
  const done = await link("--forge", "gitlab", "--host", "gitlab.example.com");
  expect([done.code, done.output + done.errors]).toEqual([
    0,
    expect.stringContaining('Linked project "atlas" to gitlab.example.com/group/sub/project'),
  ]);
  for (const args of [
    ["--forge", "sourcehut"],
    ["--forge", "github"],
    ["--forge", "gitlab", "--host", "https://x"],
  ]) {
    const { code, errors } = await link(...args);
    expect([args, code === 0, errors.trim().split("\n").length]).toEqual([args, false, 1]);
  }
});
