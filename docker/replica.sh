#!/bin/sh
# Copy the database of PRIMARY_HOST to where there is none yet, and follow it. Arguments are PostgreSQL's.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    pg_basebackup --host="$PRIMARY_HOST" --pgdata="$PGDATA" --checkpoint=fast --wal-method=stream --write-recovery-conf
fi
exec postgres "$@"
