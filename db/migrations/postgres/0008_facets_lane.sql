-- the one pair of filters that had no index: all facets of a lane were looked through for those of an actor
create index facets_actor_lane on facets (actor, lane);
