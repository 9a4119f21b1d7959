/** The form of a review policy: a line for each role, with how many of it have to approve. */

import { approvalsMax, type ReviewPolicy, rolesMax } from "../../library/verdicts/schema.ts";

/** A line as it was typed. */
export interface GivenRole {
  role: string;
  count: string;
}

const lines = Array.from({ length: rolesMax }, (_, index) => index + 1);

/** The lines of a form that name a role. */
export const rolesOf = (form: ReadonlyMap<string, string>): GivenRole[] =>
  lines.flatMap((line) => {
    const role = form.get(`role_${line}`)?.trim();
    return role ? [{ role, count: form.get(`count_${line}`) ?? "" }] : [];
  });

/** The error of a line as its fields are called. */
export const refusalOfLine = (detail: string): string =>
  detail.replace(
    /^need\[(\d+)\]\.(role|count)/,
    (_, index, field) => `${field === "role" ? "Role" : "How many"} of line ${Number(index) + 1}`,
  );

interface FieldsProps {
  policy: ReviewPolicy | undefined;
  /** What was typed and refused. */
  given: GivenRole[] | undefined;
  hintId: string;
}

/** The lines that are in use, and one more. */
export function RoleFields({ policy, given, hintId }: FieldsProps) {
  const used = given ?? policy?.need.map(({ role, count }) => ({ role, count: String(count) })) ?? [];
  return (
    <fieldset class="roles" aria-describedby={hintId}>
      <legend>Approvals needed</legend>
      {lines.slice(0, used.length + 1).map((line) => (
        <p key={line}>
          <label>
            Role <input name={`role_${line}`} value={used[line - 1]?.role} placeholder="design" />
          </label>{" "}
          <label>
            How many{" "}
            <input
              type="number"
              name={`count_${line}`}
              min={1}
              max={approvalsMax}
              value={used[line - 1]?.count ?? "1"}
            />
          </label>
        </p>
      ))}
    </fieldset>
  );
}
