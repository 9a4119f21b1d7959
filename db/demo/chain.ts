/** Something that was made beside code: a chain of versions, each with what its reviewer said. */
export interface Version {
  review?: "approved" | "rejected";
  note?: string;
  published?: true;
}

export interface Chain {
  /** Title of the issue it was made for. */
  about: string;
  title: string;
  description?: string;
  /** Its bytes, drawn for each version, are packed under this name. */
  filename: string;
  by: string;
  tags: string[];
  versions: Version[];
}

export const approved: Version = { review: "approved" };
export const published: Version = { review: "approved", published: true };
export const pending: Version = {};
export const rejected = (note: string): Version => ({ review: "rejected", note });
