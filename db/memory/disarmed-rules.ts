/** Rules of people that check nothing: an erasure replaced a name in them, which makes them other rules. */
import { sql } from "drizzle-orm";
import type { Check } from "../../src/memory/checks/schema.ts";
import type { Session } from "../engine/session.ts";
import { allRows } from "../query/statements.ts";
import { WrongRows } from "../query/wrong-rows.ts";

/** As an erasure writes it in the place of a name: `erased-1`, `Erased person 1`. */
const erasedName = /\berased(?:-| person )\d/i;

/** The decisions that such rules are of, by their ids. */
export async function findDisarmedRules(session: Session): Promise<WrongRows> {
  const rows = await allRows<{ id: number; checks: Check[] | string }>(
    session,
    sql`select id, checks from decisions where valid_until is null and checks is not null order by id`,
  );
  const found = new WrongRows();
  for (const { id, checks } of rows) {
    const rules = typeof checks === "string" ? (JSON.parse(checks) as Check[]) : checks;
    const isDisarmed = ({ standing, actor, ...rule }: Check) =>
      standing === "proposed" && !actor.startsWith("agent:") && erasedName.test(JSON.stringify(rule));
    if (rules.some(isDisarmed)) found.add(`#${id}`);
  }
  return found;
}
