#!/bin/sh
# Run by PostgreSQL's image when the data folder is new: whoever knows the password may copy the database.
set -eu
echo "host replication $POSTGRES_USER all scram-sha-256" >> "$PGDATA/pg_hba.conf"
