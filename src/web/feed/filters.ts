/** The filters of the feed as fields: facets are menus of the values that events have. */
import { actorName } from "../../core/auth/actor-name.ts";
import { type FeedFilterName, feedFilterNames, feedFilters } from "../../feed/filters.ts";
import { kinds, kindTitle } from "../../feed/kinds.ts";
import type { FilterField, FilterFields } from "../lists/fields.tsx";
import { type Owners, ownerFields } from "../lists/owners.ts";

/** What the menus offer. */
interface Choices {
  slugs: readonly string[];
  actors: readonly string[];
  lanes: readonly string[];
  owners: Owners;
}

export function feedFields({ slugs, actors, lanes, owners }: Choices): FilterFields {
  const menus: Partial<Record<FeedFilterName, Omit<FilterField, "label">>> = {
    project: { options: slugs },
    kind: { options: kinds, nameOf: kindTitle },
    actor: actorMenu(actors),
    lane: { options: lanes },
    ...ownerFields(owners),
  };
  return Object.fromEntries(
    feedFilterNames.map((name): [string, FilterField] => {
      const { label, schema } = feedFilters[name];
      const menu = menus[name];
      if (menu) return [name, { label, as: "menu", ...menu }];
      if (schema.type === "integer") return [name, { label, as: "number", placeholder: "#" }];
      return [name, { label, placeholder: name === "task" ? "PROJ-123" : "id" }];
    }),
  );
}

/** Names, each of which finds all forms of an actor. Of one name, a person is told apart from programs. */
function actorMenu(actors: readonly string[]): Omit<FilterField, "label"> {
  const formsOf = Map.groupBy(actors, actorName);
  const hasPersonAndPrograms = (name: string) => {
    const forms = formsOf.get(name) ?? [];
    return forms.length > 1 && forms.includes(`human:${name}`);
  };
  return {
    options: [...formsOf.keys()].toSorted((a, b) => a.localeCompare(b)),
    optionOf: (value) => (hasPersonAndPrograms(actorName(value)) ? value : actorName(value)),
    nameOf(value) {
      const name = actorName(value);
      return value === name ? name : `${name} (${value.startsWith("human:") ? "the person" : "programs"})`;
    },
  };
}
