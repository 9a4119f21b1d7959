/** A task of the demo, with the texts that people and checks wrote about it. */
export interface Task {
  issueTitle: string;
  label: string;
  /** Title of its pull request; a task without one is still open. */
  pullTitle?: string;
  /** The changed source file and its test. */
  files?: [string, string];
  /** The person who implements it; absent: an agent. */
  by?: string;
  /** Why the first run failed; the second succeeds. */
  runFailure?: string;
  /** The failure that the checks reported on the first attempt. */
  checkFailure?: string;
  /** The changes that the reviewer requested. */
  requestedChanges?: string;
  /** Why the pull request was closed without merging. */
  rejection?: string;
}
