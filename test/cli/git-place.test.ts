/** The branch and the repository of a folder, of checkouts that Git made. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gitEmail, gitPlace } from "../../cli/repository/git-place.ts";

let root: string;
const git = (folder: string, ...words: string[]) => {
  const identity = ["-c", "user.name=me", "-c", "user.email=me@example.com"];
  const { exitCode, stderr } = Bun.spawnSync(["git", "-C", folder, ...identity, ...words]);
  if (exitCode !== 0) throw new Error(stderr.toString());
};
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "svc-git-"));
  git(root, "init", "-q", "-b", "fix/42-login", "main");
  const main = join(root, "main");
  git(main, "commit", "-q", "--allow-empty", "-m", "first");
  git(main, "remote", "add", "origin", "https://me:secret@github.com/acme/atlas.git");
  git(main, "worktree", "add", "-q", "-b", "issue-7", join(root, "tree"));
});
afterAll(() => rmSync(root, { recursive: true }));

test("of a checkout, a folder below it, and a worktree", () => {
  mkdirSync(join(root, "main/deep/er"), { recursive: true });
  const place = { branch: "fix/42-login", repo: "acme/atlas" };
  expect(gitPlace(join(root, "main"))).toEqual(place);
  expect(gitPlace(join(root, "main/deep/er"))).toEqual(place);
  expect(gitPlace(join(root, "tree"))).toEqual({ branch: "issue-7", repo: "acme/atlas" });
});

test("who commits there: as the checkout says, also in a worktree, else as the settings of the user", () => {
  const home = process.env.HOME;
  process.env.HOME = root;
  try {
    writeFileSync(join(root, ".gitconfig"), "[core]\n\tpager = less\n[user]\n\temail = own@example.com\n");
    expect(gitEmail(join(root, "main"))).toBe("own@example.com");
    git(join(root, "main"), "config", "user.email", "dana@example.com");
    expect(gitEmail(join(root, "main"))).toBe("dana@example.com");
    expect(gitEmail(join(root, "tree"))).toBe("dana@example.com");
    expect(gitEmail(join(root, "nowhere"))).toBe("own@example.com");
  } finally {
    process.env.HOME = home;
  }
});

test("without a branch, a checkout, or a folder", () => {
  git(join(root, "tree"), "checkout", "-q", "--detach");
  expect(gitPlace(join(root, "tree"))).toEqual({ branch: null, repo: "acme/atlas" });
  expect(gitPlace(root)).toEqual({ branch: null, repo: null });
  expect(gitPlace(join(root, "nowhere"))).toEqual({ branch: null, repo: null });
});

test.each([
  ["git@github.com:acme/atlas.git", "acme/atlas"],
  ["ssh://git@github.com:22/acme/atlas", "acme/atlas"],
  ["https://token@github.com/acme/atlas/", "acme/atlas"],
  ["https://gitlab.com/acme/group/atlas.git", null],
  ["/srv/git/atlas.git", null],
  ["secret", null],
])("the remote %s is %p", (url, repo) => {
  writeFileSync(
    join(root, "main/.git/config"),
    `[core]\n\tbare = false\n[remote "origin"]\n\turl = ${url}\n`,
  );
  expect(gitPlace(join(root, "main")).repo).toBe(repo);
});
