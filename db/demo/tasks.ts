/** A task of the story, by what people wrote about it. */
export interface Task {
  /** Title of its issue. */
  asks: string;
  label: string;
  /** Title of its pull request; a task without one waits for somebody. */
  does?: string;
  /** What is touched. */
  files?: [string, string];
  /** Somebody does it by hand. */
  by?: string;
  /** Why the first run failed; the second succeeds. */
  failed?: string;
  /** What the checks had against the first attempt. */
  red?: string;
  /** What the reviewer wanted changed. */
  changes?: string;
  /** Why it was closed unmerged. */
  dropped?: string;
}
