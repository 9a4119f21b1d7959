/** Which approvals a policy counts. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { approvalsOf } from "../../../src/library/verdicts/approvals.ts";
import { rolesText, waitingText } from "../../../src/library/verdicts/text.ts";

const approval = (principal: string, role: string | null, more: object = {}) => ({
  ...{ principal, role, decision: "approved" as const, sha256: "a" },
  ...more,
});
const need = [
  { role: "design", count: 2 },
  { role: "legal", count: 1 },
];

describe("approvals", () => {
  test("are counted by role, and what is missing is named", () => {
    expect(approvalsOf({ need }, [approval("ana", "design")], "a")).toEqual({
      ...{ have: 1, need: 3 },
      missing: [
        { role: "design", count: 1 },
        { role: "legal", count: 1 },
      ],
    });
    const all = [approval("ana", "design"), approval("ben", "design"), approval("zoe", "legal")];
    expect(approvalsOf({ need }, all, "a")).toEqual({ have: 3, need: 3, missing: [] });
  });

  test("beyond the count of a role, without a role of the policy, or rejecting count for nothing", () => {
    const given = [
      ...["ana", "ben", "cleo"].map((name) => approval(name, "design")),
      approval("dan", null),
      approval("eve", "admin"),
      approval("fay", "legal", { decision: "rejected" }),
    ];
    expect(approvalsOf({ need }, given, "a")).toEqual({
      ...{ have: 2, need: 3, missing: [{ role: "legal", count: 1 }] },
    });
  });

  test("of another file count for nothing", () => {
    expect(approvalsOf({ need }, [approval("ana", "design", { sha256: "b" })], "a").have).toBe(0);
  });

  test("of a reviewer and of the share link that they vouch for count once, in any order and number", () => {
    const people = fc.constantFrom("ana", "ben", "zoe");
    const role = fc.constantFrom("design", "legal", null);
    fc.assert(
      fc.property(fc.array(fc.tuple(people, role)), (given) => {
        const { have } = approvalsOf(
          { need },
          given.map(([name, as]) => approval(name, as)),
          "a",
        );
        expect(have).toBeLessThanOrEqual(new Set(given.map(([name]) => name)).size);
      }),
    );
  });

  test("that are missing are told in words", () => {
    expect(rolesText(need)).toBe("2 design and legal");
    expect(waitingText({ have: 1, need: 2, missing: [{ role: "design", count: 1 }] })).toBe(
      "waiting for 1 more: design",
    );
  });
});
