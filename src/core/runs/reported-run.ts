/** What clients that report runs and the server agree on. Hooks import this: it is small. */

/**
 * A client that caches briefs fetches them under a run id with this prefix, and reports the run that it then
 * gives one to. No run has such an id, so the lists of who used a decision leave them out.
 */
export const cachedBriefPrefix = "brief-cache:";

/** The most files that a run has changed, and that an event of it names: the newest. */
export const changedFilesMax = 200;
