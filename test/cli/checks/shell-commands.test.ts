/** Which commands of a shell line run, and which are only mentioned. */
import { describe, expect, test } from "bun:test";
import { simpleCommands } from "../../../cli/checks/shell-commands.ts";
import { forbiddenCommand } from "../../../cli/checks/stop-agent.ts";
import type { CheckInForce, CheckRule } from "../../../src/memory/checks/schema.ts";

const check = (rule: Omit<CheckRule, "kind">): CheckInForce => ({
  decision: 12,
  text: "Releases are made in CI",
  actor: "human:mara",
  rule: { kind: "command", ...rule },
});
const isForbidden = async (line: string, rule: Omit<CheckRule, "kind"> = { text: "npm publish" }) =>
  (await forbiddenCommand([check(rule)], line)) !== null;

describe("a forbidden command", () => {
  test.each([
    "npm publish",
    "cd pkg && npm publish --access public",
    "npm --silent publish; echo done",
    "FOO=1 sudo -E npm publish",
    "(npm publish)",
    "echo $(npm publish)",
    'bash -c "cd pkg && npm publish"',
    "true || /usr/bin/npm publish",
    "make build\nnpm publish",
    "npm \\\n  publish",
    "if true; then npm publish; fi",
    "echo a | xargs npm publish",
    "echo `npm publish`",
    "cat <<EOF\nwords\nEOF\nnpm publish",
  ])("is found in %j", async (line) => {
    expect(await isForbidden(line)).toBe(true);
  });

  test.each([
    'git commit -m "do not run npm publish"',
    "grep -rn 'npm publish' docs",
    "echo npm publish",
    "npm run publish",
    "npm publish-docs",
    "npm test # then npm publish",
    "cat > notes.md <<'EOF'\nnpm publish\nEOF",
    "cat <<-EOF\n\tnpm publish\n\tEOF\nls",
    "git log --grep='npm publish' && npm test",
    "echo 'a; npm publish; b'",
    "",
    "'",
    "$(",
    "<<",
    "\\",
  ])("is not found in %j", async (line) => {
    expect(await isForbidden(line)).toBe(false);
  });

  test("with options has to have them, in any place", async () => {
    const force = { text: "git push --force" };
    expect(await isForbidden("git push origin main --force", force)).toBe(true);
    expect(await isForbidden("git push origin main", force)).toBe(false);
  });

  test("as a pattern is matched from the start of each command", async () => {
    const force = { pattern: "git push .*(-f|--force)\\b" };
    expect(await isForbidden("npm test && git push origin -f", force)).toBe(true);
    expect(await isForbidden("echo git push origin -f", force)).toBe(false);
    expect(await isForbidden("git push", { pattern: "(" })).toBe(false);
  });

  test("is read in linear time, however it is nested", () => {
    for (const part of ["$(", "`", '"', "'", "(", "<<A\n", "sh -c '", "a;"])
      expect(simpleCommands(part.repeat(20_000)).length).toBeLessThan(200_000);
  });
});
