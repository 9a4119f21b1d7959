/**
 * Follows a linked repository from name to name. The forge's id identifies it: deliveries arrive late, again,
 * and in any order, so the name in one may be a former name, which another repository can have by now.
 */
import { forges, type SourceRepository } from "../../core/forges/schema.ts";
import type { Micros } from "../../core/lib/time.ts";
import type { LinkedRepository, RepositoryNames } from "../rows.ts";

/** A repository as a delivery names it. */
export interface NameReport {
  repository: SourceRepository;
  /** Its name before, if the delivery is that of a rename or a transfer. */
  previous?: string;
  /** When the change happened, by the sender's clock. */
  at?: Micros | null;
  /** The delivery's id, which it keeps when it is sent again. */
  delivery?: string | null;
}

/** How many entries a list of names keeps: the newest. */
const namesMax = 50;

const noNames: RepositoryNames = {
  former: [],
  ahead: [],
  taken: null,
  at: null,
  is_timed: true,
  renames: [],
};

const key = (name: string): string => name.toLowerCase();
export const isSameName = (a: string, b: string): boolean => key(a) === key(b);

const without = (names: readonly string[], name: string): string[] =>
  names.filter((one) => one !== key(name));
const withName = (names: readonly string[], name: string): string[] =>
  [...without(names, name), key(name)].slice(-namesMax);

/**
 * The link of a repository: the one that has its id, else the one that has its name. A GitHub project on
 * github.com also takes repositories of other GitHub hosts that no project is linked to: of an Enterprise
 * server that `SVC_GITHUB_API_URL` names.
 * @param links those with its name or its id, on its forge
 */
export function linkOf(links: readonly LinkedRepository[], report: NameReport): LinkedRepository | null {
  const { forge, host } = report.repository;
  const on = (site: string) =>
    linkAmong(
      links.filter((link) => link.host === site),
      report,
    );
  return on(host) ?? (forge === "github" ? on(forges.github.host) : null);
}

function linkAmong(links: readonly LinkedRepository[], report: NameReport): LinkedRepository | null {
  const { id, full_name } = report.repository;
  const named = links.find(({ repo }) => isSameName(repo, full_name)) ?? null;
  if (id === null) return named;
  const identified = links.find(({ repo_id }) => repo_id === id);
  // A project that was linked to the new name, and has no id yet, takes the repository over.
  const isTakenOver = named?.repo_id === null && identified && isRenamed(identified, report);
  return identified && !isTakenOver ? identified : named;
}

/** Whether the delivery tells a newer name than that of the link. */
export function isRenamed({ repo, repo_names }: LinkedRepository, report: NameReport): boolean {
  const { former, taken, at: since, is_timed } = repo_names ?? noNames;
  const { repository, previous, at = null } = report;
  const name = key(repository.full_name);
  if (name === key(repo)) return false;
  if (previous !== undefined) return isSameName(previous, taken ?? repo);
  const isFormer = isSameName(name, taken ?? repo) || former.includes(name);
  if (at === null || since === null) return !isFormer;
  return isFormer ? is_timed && at > since : at >= since;
}

/**
 * Whether a delivery can change its link: most cannot, and cost no write. That of a repository with another
 * id never does: it is recorded for its name, as after a forge was moved, and takes nothing over.
 */
export const isNews = (link: LinkedRepository, report: NameReport): boolean =>
  link.repo_id === null
    ? report.repository.id !== null || report.previous !== undefined
    : link.repo_id === report.repository.id &&
      (report.previous !== undefined || isRenamed(link, report) || confirmsName(link, report));

/** Whether it tells that the link's guessed name is right. */
function confirmsName(
  { repo, repo_names }: LinkedRepository,
  { repository, at = null }: NameReport,
): boolean {
  const { taken, at: since } = repo_names ?? noNames;
  return taken !== null && isSameName(repo, repository.full_name) && (at ?? 0) >= (since ?? 0);
}

type Link = LinkedRepository & { repo_names: RepositoryNames };

/**
 * Stores the id of a repository for its link, and follows its name.
 * @param links all on its forge and host
 * @returns those that changed
 */
export function followRepository(
  links: readonly LinkedRepository[],
  slug: string,
  report: NameReport,
): LinkedRepository[] {
  const { repository, previous, at = null } = report;
  const before: Link[] = links.map((link) => ({ ...link, repo_names: link.repo_names ?? noNames }));
  const after = before.map((link) => ({ ...link }));
  const link = after.find((one) => one.slug === slug);
  if (!link || !isNews(link, report)) return [];
  if (link.repo_id === null && repository.id !== null) {
    const owner = after.find(({ repo_id }) => repo_id === repository.id);
    if (owner) Object.assign(owner, { repo_id: null, repo_names: noNames });
    Object.assign(link, { repo_id: repository.id, repo_names: { ...noNames, at } });
  }
  if (previous !== undefined) rename(after, link, previous, report);
  else if (isRenamed(link, report)) move(after, link, repository.full_name, at);
  else if (confirmsName(link, report)) {
    confirm(link);
    change(link, { at });
  }
  return after.filter((one, index) => !Bun.deepEquals(one, before[index]));
}

function change(link: Link, names: Partial<RepositoryNames>): void {
  link.repo_names = { ...link.repo_names, ...names };
}

function rename(all: Link[], link: Link, from: string, report: NameReport): void {
  const { delivery = null, repository } = report;
  const { ahead, renames } = link.repo_names;
  if (delivery !== null) {
    if (renames.includes(delivery)) return;
    change(link, { renames: [...renames, delivery].slice(-namesMax) });
  }
  const to = repository.full_name;
  if (isRenamed(link, report)) move(all, link, to, null);
  else {
    change(link, { ahead: [...ahead, { from: key(from), to }].slice(-namesMax) });
    settle(link);
  }
}

/**
 * Gives the link a newer name. Another link that has the name gets the one that becomes free, until a
 * delivery tells its own; one that lost the free name to this link gets it back.
 */
function move(all: Link[], link: Link, name: string, at: Micros | null): void {
  const { to, passed, ahead } = lastNameAfter(name, link.repo_names.ahead);
  const holder = all.find((other) => other !== link && isSameName(other.repo, to));
  // Of which repository that name is, is not known yet.
  if (holder?.repo_id === null) return;
  const { repo: before, repo_names: names } = link;
  const left = [names.taken ?? before, ...passed].reduce(withName, names.former);
  link.repo = to;
  const is_timed = at !== null && passed.length === 0;
  change(link, { former: without(left, to), ahead, taken: null, at: at ?? names.at, is_timed });
  settle(link);
  let free = before;
  const loser = all.find(({ repo_names: { taken } }) => taken !== null && isSameName(taken, before));
  if (loser) [loser.repo, free] = [before, loser.repo];
  if (!holder) return;
  const { taken, at: since } = holder.repo_names;
  if (holder !== loser) holder.repo = free;
  change(holder, {
    taken: taken ?? to,
    at: at === null ? since : Math.max(at, since ?? at),
    is_timed: is_timed && holder.repo_names.is_timed,
  });
  settle(holder);
}

/** Follows the renames that arrived before the one to this name. */
function lastNameAfter(name: string, ahead: RepositoryNames["ahead"]) {
  const passed: string[] = [];
  let [to, rest] = [name, ahead];
  for (;;) {
    const next = rest.find(({ from }) => from === key(to));
    if (!next) return { to, passed, ahead: rest };
    passed.push(to);
    to = next.to;
    rest = rest.filter((one) => one !== next);
  }
}

/** The guessed name of the link is right. */
function confirm(link: Link): void {
  const { former, taken } = link.repo_names;
  if (taken !== null) change(link, { former: without(withName(former, taken), link.repo), taken: null });
}

/** Leaves only those renames ahead whose names are not known yet. */
function settle(link: Link): void {
  for (;;) {
    const { ahead, former } = link.repo_names;
    const known = ahead.find(
      ({ from, to }) => isSameName(to, link.repo) || former.includes(from) || former.includes(key(to)),
    );
    if (!known) return;
    if (isSameName(known.to, link.repo)) confirm(link);
    change(link, {
      ahead: ahead.filter((one) => one !== known),
      former: withName(link.repo_names.former, known.from),
    });
  }
}
