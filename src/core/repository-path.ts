/** Paths of files inside a repository: relative to its root, with `/`. Hooks import this: it is small. */

/** The longest path that is kept, in bytes. */
export const repositoryPathMax = 255;

/** A path that stays inside the repository, and is none of Git's own files. */
export const isRepositoryPath = (path: string): boolean =>
  path !== "" &&
  Buffer.byteLength(path) <= repositoryPathMax &&
  !/[\p{Cc}\p{Cs}\\]|^[A-Za-z]:/u.test(path) &&
  path.split("/").every((part, index) => !/^\.{0,2}$/.test(part) && !(index === 0 && part === ".git"));
