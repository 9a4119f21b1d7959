/**
 * A server of a later version, instead of that of the command behind this one: of this tree, with as many further
 * migrations as the environment says. They change tables that all nodes read and write.
 */
import { join } from "node:path";
import { migrations } from "../../db/engine/migrate.ts";
import { sourceRoot } from "../support/program.ts";

const changes = [
  (number: number) => `alter table events add column later_${number} text`,
  (number: number) => `alter table assets add column later_${number} text not null default ''`,
  (number: number) => `create index runs_later_${number} on runs (id, project)`,
];

const ahead = Number(process.env.SVC_TEST_LATER_MIGRATIONS);
for (let number = 1; number <= ahead; number++) {
  const text = changes.map((change) => change(number)).join("; ");
  migrations.push({ name: `9999_later_${number}`, sqlite: text, postgres: text });
}

const main = join(sourceRoot, "cli/main.ts");
process.argv.splice(1, process.argv.indexOf("serve") - 1, main);
await import(main);
