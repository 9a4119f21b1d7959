/** A version of a demo asset, with its review. */
export interface Version {
  review?: "approved" | "rejected";
  note?: string;
  published?: true;
}

/** A demo asset with all of its versions. */
export interface AssetChain {
  /** Title of the issue it was made for. */
  task: string;
  title: string;
  description?: string;
  /** The name of its files in the media pack; each version has its own. */
  filename: string;
  by: string;
  tags: string[];
  versions: Version[];
}

export const approved: Version = { review: "approved" };
export const published: Version = { review: "approved", published: true };
export const pending: Version = {};
export const rejected = (note: string): Version => ({ review: "rejected", note });
