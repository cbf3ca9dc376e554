"""The tables of the archive."""

import uuid

import django.contrib.auth.validators
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

import archive.models.accounts
from archive.migrations._database_objects import statements


def make_database_objects(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    for statement in statements(schema_editor.connection.vendor):
        schema_editor.execute(statement)


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        migrations.CreateModel(
            name='AuditLine',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(auto_now_add=True, db_index=True, verbose_name='when')),
                ('event', models.CharField(choices=[('sign-in', 'signed in'), ('sign-in-failed', 'failed to sign in'), ('sign-out', 'signed out'), ('account', 'changed the way in'), ('rights', 'changed rights'), ('members', 'changed members'), ('share', 'shared'), ('publish', 'published'), ('take-back', 'took back'), ('delete', 'deleted'), ('hide', 'hid or showed bytes'), ('let-in', 'let held games in'), ('correct', 'corrected'), ('import', 'imported'), ('reread', 'had read again')], max_length=20, verbose_name='what was done')),
                ('account', models.BigIntegerField(null=True, verbose_name='account')),
                ('name', models.CharField(blank=True, max_length=150, verbose_name='who')),
                ('what', models.TextField(blank=True, verbose_name='to what')),
                ('address', models.CharField(blank=True, max_length=64, verbose_name='from where')),
            ],
            options={
                'verbose_name': 'line of the audit log',
                'verbose_name_plural': 'audit log',
                'default_permissions': ('view',),
            },
        ),
        migrations.CreateModel(
            name='ColumnSegment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('space', models.BigIntegerField()),
                ('name', models.CharField(max_length=60, unique=True)),
                ('first', models.IntegerField()),
                ('last', models.IntegerField()),
                ('games', models.IntegerField()),
                ('rows', models.IntegerField()),
                ('size', models.BigIntegerField()),
                ('sha256', models.CharField(max_length=64)),
                ('version', models.SmallIntegerField()),
                ('made', models.DateTimeField(default=django.utils.timezone.now)),
                ('retired', models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name='ColumnWaiting',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slot', models.IntegerField(unique=True)),
                ('space', models.BigIntegerField(default=0)),
                ('since', models.DateTimeField(default=django.utils.timezone.now)),
                ('lines', models.BinaryField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name='Game',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=16)),
                ('record_kind', models.CharField(choices=[('game', 'game'), ('problem', 'problem'), ('tree', 'opening tree'), ('position', 'position')], max_length=10, verbose_name='kind of record')),
                ('space', models.BigIntegerField(default=0)),
                ('digest', models.BinaryField(max_length=16)),
                ('digest_version', models.SmallIntegerField()),
                ('stem', models.BinaryField(max_length=16, null=True)),
                ('slot', models.IntegerField(unique=True)),
                ('site', models.TextField(blank=True)),
                ('played_from', models.DateField(null=True)),
                ('played_to', models.DateField(null=True)),
                ('precision', models.CharField(blank=True, choices=[('', 'unknown'), ('year', 'year'), ('month', 'month'), ('day', 'day')], max_length=5)),
                ('played', models.IntegerField()),
                ('handicap', models.CharField(max_length=10)),
                ('result', models.SmallIntegerField(choices=[(0, 'first player wins'), (1, 'second player wins'), (2, 'draw'), (3, 'unknown')])),
                ('special', models.TextField(blank=True)),
                ('plies', models.IntegerField()),
                ('index_version', models.SmallIntegerField()),
                ('index_rows', models.IntegerField()),
                ('calendar', models.CharField(blank=True, default='', max_length=9)),
                ('round', models.TextField(blank=True, default='')),
                ('opening', models.TextField(blank=True, default='')),
                ('header_data', models.JSONField(default=dict)),
                ('features', models.SmallIntegerField(db_default=0, default=0)),
                ('formations_version', models.SmallIntegerField(db_default=0, default=0)),
                ('network_version', models.SmallIntegerField(db_default=0, default=0)),
                ('changed', models.DateTimeField(null=True)),
                ('corrected', models.BooleanField(db_default=False, default=False)),
            ],
            options={
                'verbose_name': 'game',
                'verbose_name_plural': 'games',
            },
        ),
        migrations.CreateModel(
            name='GameChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('game', models.BigIntegerField(db_index=True)),
                ('space', models.BigIntegerField()),
                ('number', models.BigIntegerField(null=True, unique=True)),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('number', None)), fields=['id'], name='gamechange_unnumbered'), models.Index(fields=['space', 'number'], name='gamechange_of_space')],
            },
        ),
        migrations.CreateModel(
            name='GoneGame',
            fields=[
                ('id', models.BigIntegerField(primary_key=True, serialize=False)),
                ('space', models.BigIntegerField(db_default=0, default=0)),
            ],
        ),
        migrations.CreateModel(
            name='GoneUpload',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('upload_id', models.BigIntegerField(unique=True)),
                ('space', models.BigIntegerField(db_default=0, default=0)),
            ],
        ),
        migrations.CreateModel(
            name='HeardProcess',
            fields=[
                ('name', models.CharField(max_length=200, primary_key=True, serialize=False)),
                ('role', models.CharField(choices=[('worker', 'worker'), ('scheduler', 'scheduler')], max_length=10)),
                ('version', models.CharField(max_length=20)),
                ('started', models.DateTimeField()),
                ('seen', models.DateTimeField()),
                ('worked', models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name='HotMove',
            fields=[
                ('pk', models.CompositePrimaryKey('key', 'flags', 'move', 'result', blank=True, editable=False, primary_key=True, serialize=False)),
                ('key', models.BigIntegerField()),
                ('flags', models.SmallIntegerField()),
                ('move', models.SmallIntegerField()),
                ('result', models.SmallIntegerField()),
                ('n', models.BigIntegerField()),
                ('rated', models.BigIntegerField()),
                ('rating_sum', models.BigIntegerField()),
                ('last_played', models.IntegerField()),
            ],
        ),
        migrations.CreateModel(
            name='HotPart',
            fields=[
                ('pk', models.CompositePrimaryKey('key', 'part', 'flags', 'move', 'result', blank=True, editable=False, primary_key=True, serialize=False)),
                ('key', models.BigIntegerField()),
                ('part', models.SmallIntegerField()),
                ('flags', models.SmallIntegerField()),
                ('move', models.SmallIntegerField()),
                ('result', models.SmallIntegerField()),
                ('n', models.BigIntegerField()),
                ('rated', models.BigIntegerField()),
                ('rating_sum', models.BigIntegerField()),
                ('first_played', models.IntegerField()),
                ('last_played', models.IntegerField()),
            ],
        ),
        migrations.CreateModel(
            name='HotPosition',
            fields=[
                ('key', models.BigIntegerField(primary_key=True, serialize=False)),
                ('code', models.TextField()),
                ('parted', models.BooleanField(db_default=False, default=False)),
            ],
        ),
        migrations.CreateModel(
            name='IndexState',
            fields=[
                ('version', models.SmallIntegerField(primary_key=True, serialize=False)),
                ('state', models.CharField(choices=[('filling', 'filling'), ('live', 'live'), ('retired', 'retired')], max_length=10)),
            ],
        ),
        migrations.CreateModel(
            name='LeftSpace',
            fields=[
                ('space', models.BigIntegerField(primary_key=True, serialize=False)),
                ('times', models.BigIntegerField()),
            ],
        ),
        migrations.CreateModel(
            name='Space',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('person', 'own library'), ('group', 'group')], max_length=6)),
                ('name', models.TextField(blank=True)),
                ('created', models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name='User',
            fields=[
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                ('username', models.CharField(error_messages={'unique': 'A user with that username already exists.'}, help_text='Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.', max_length=150, unique=True, validators=[django.contrib.auth.validators.UnicodeUsernameValidator()], verbose_name='username')),
                ('first_name', models.CharField(blank=True, max_length=150, verbose_name='first name')),
                ('last_name', models.CharField(blank=True, max_length=150, verbose_name='last name')),
                ('email', models.EmailField(blank=True, max_length=254, verbose_name='email address')),
                ('is_staff', models.BooleanField(default=False, help_text='Designates whether the user can log into this admin site.', verbose_name='staff status')),
                ('is_active', models.BooleanField(default=True, help_text='Designates whether this user should be treated as active. Unselect this instead of deleting accounts.', verbose_name='active')),
                ('date_joined', models.DateTimeField(default=django.utils.timezone.now, verbose_name='date joined')),
                ('id', models.AutoField(primary_key=True, serialize=False)),
                ('role', models.CharField(choices=[('reader', 'reader'), ('contributor', 'contributor'), ('curator', 'curator'), ('administrator', 'administrator')], db_default='contributor', default='contributor', max_length=13, verbose_name='role')),
                ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
            ],
            options={
                'verbose_name': 'user',
                'verbose_name_plural': 'users',
                'db_table': 'auth_user',
                'abstract': False,
            },
            managers=[
                ('objects', archive.models.accounts.UserManager()),
            ],
        ),
        migrations.CreateModel(
            name='Arrival',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('game', models.BigIntegerField(db_index=True)),
                ('space', models.BigIntegerField()),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('moved', models.BooleanField(default=False)),
                ('number', models.BigIntegerField(null=True, unique=True)),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('number', None)), fields=['id'], name='arrival_unnumbered'), models.Index(condition=models.Q(('moved', True)), fields=['space', 'id'], name='arrival_moved')],
            },
        ),
        migrations.CreateModel(
            name='ColumnGone',
            fields=[
                ('slot', models.IntegerField(primary_key=True, serialize=False)),
                ('space', models.BigIntegerField(null=True)),
                ('waited', models.BooleanField()),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('waited', True)), fields=['slot'], name='columngone_waited')],
            },
        ),
        migrations.CreateModel(
            name='Event',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('space', models.BigIntegerField(db_default=0, default=0)),
                ('name', models.TextField(verbose_name='name')),
                ('written', models.TextField(blank=True, default='')),
                ('kana', models.TextField(blank=True, db_default='', default='')),
                ('latin', models.TextField(blank=True, db_default='', default='')),
                ('note', models.TextField(blank=True, db_default='', default='')),
                ('source', models.TextField(blank=True, db_default='', default='')),
                ('set_by', models.JSONField(db_default={}, default=dict)),
                ('unsettled', models.BooleanField(db_default=False, default=False)),
                ('key', models.TextField(default='')),
                ('searched', models.TextField(db_default='', default='')),
                ('place', models.TextField(blank=True, db_default='', default='')),
                ('merged_into', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='merged', to='archive.event')),
                ('home', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='archive.event')),
                ('parent', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='archive.event')),
            ],
            options={
                'verbose_name': 'event',
                'verbose_name_plural': 'events',
                'constraints': [models.UniqueConstraint(fields=('space', 'key'), name='event_key')],
                'indexes': [
                    models.Index(fields=['space', 'name'], name='event_name'),
                    models.Index(condition=models.Q(('home__isnull', False)), fields=['home'], name='event_home'),
                    models.Index(condition=models.Q(('unsettled', True)), fields=['id'], name='event_unsettled'),
                ],
            },
        ),
        migrations.CreateModel(
            name='GameRecord',
            fields=[
                ('game', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='stored', serialize=False, to='archive.game')),
                ('record', models.BinaryField()),
                ('parsed_facts', models.JSONField(default=dict)),
                ('base', models.BinaryField(null=True)),
                ('base_facts', models.JSONField(null=True)),
                ('keys', models.BinaryField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name='GameSeries',
            fields=[
                ('game', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='series', serialize=False, to='archive.game')),
                ('series', models.BinaryField()),
            ],
        ),
        migrations.CreateModel(
            name='GameText',
            fields=[
                ('game', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='text', serialize=False, to='archive.game')),
                ('text', models.TextField(blank=True)),
            ],
        ),
        migrations.AddField(
            model_name='game',
            name='event',
            field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='archive.event'),
        ),
        migrations.CreateModel(
            name='GameAlias',
            fields=[
                ('id', models.BigIntegerField(primary_key=True, serialize=False)),
                ('space', models.BigIntegerField(db_default=0, default=0)),
                ('game', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='aliases', to='archive.game')),
            ],
        ),
        migrations.CreateModel(
            name='GameEvent',
            fields=[
                ('pk', models.CompositePrimaryKey('event_id', 'played', 'slot', blank=True, editable=False, primary_key=True, serialize=False)),
                ('played', models.IntegerField()),
                ('slot', models.IntegerField(unique=True)),
                ('event', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='archive.event')),
                ('named', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='archive.event')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('named__isnull', False)), fields=['named'], name='gameevent_named')],
            },
        ),
        migrations.CreateModel(
            name='GameFormation',
            fields=[
                ('pk', models.CompositePrimaryKey('formation', 'slot', 'colour', blank=True, editable=False, primary_key=True, serialize=False)),
                ('formation', models.SmallIntegerField()),
                ('slot', models.IntegerField()),
                ('colour', models.SmallIntegerField()),
                ('ply', models.SmallIntegerField()),
            ],
            options={
                'indexes': [models.Index(fields=['slot'], name='gameformation_of_slot')],
            },
        ),
        migrations.CreateModel(
            name='DeviceGrant',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('user_code', models.CharField(max_length=8, unique=True)),
                ('client', models.CharField(max_length=80)),
                ('scopes', models.JSONField()),
                ('expires', models.DateTimeField(db_index=True)),
                ('interval', models.SmallIntegerField()),
                ('polled', models.DateTimeField(null=True)),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('allowed', 'Allowed'), ('denied', 'Denied')], default='waiting', max_length=7)),
                ('days', models.SmallIntegerField(null=True)),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='Hook',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('address', models.TextField()),
                ('query', models.TextField(blank=True)),
                ('scope', models.TextField()),
                ('salt', models.CharField(max_length=32)),
                ('made', models.DateTimeField(auto_now_add=True)),
                ('marker', models.BigIntegerField(default=0)),
                ('disabled', models.CharField(blank=True, choices=[('failing', 'it failed for too long'), ('gone', 'the receiver says that it is gone (410)'), ('rights', 'you may no longer read there'), ('query', 'the query is no longer valid'), ('slow', 'the query takes too long')], max_length=10)),
                ('failing_since', models.DateTimeField(null=True)),
                ('claimed_by', models.CharField(blank=True, max_length=32)),
                ('claimed_until', models.DateTimeField(null=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='hooks', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='Player',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('space', models.BigIntegerField(db_default=0, default=0)),
                ('name', models.TextField(verbose_name='name')),
                ('written', models.TextField(blank=True, default='')),
                ('kana', models.TextField(blank=True, db_default='', default='')),
                ('latin', models.TextField(blank=True, db_default='', default='')),
                ('note', models.TextField(blank=True, db_default='', default='')),
                ('source', models.TextField(blank=True, db_default='', default='')),
                ('set_by', models.JSONField(db_default={}, default=dict)),
                ('unsettled', models.BooleanField(db_default=False, default=False)),
                ('key', models.TextField(default='')),
                ('reading', models.TextField(blank=True)),
                ('searched', models.TextField(db_default='', default='')),
                ('titles', models.JSONField(db_default=[], default=list)),
                ('born', models.CharField(blank=True, db_default='', default='', max_length=10)),
                ('died', models.CharField(blank=True, db_default='', default='', max_length=10)),
                ('merged_into', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='merged', to='archive.player')),
                ('home', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='archive.player')),
                ('namesake', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='namesakes', to='archive.player')),
            ],
            options={
                'verbose_name': 'player',
                'verbose_name_plural': 'players',
                'constraints': [models.UniqueConstraint(fields=('space', 'key'), name='player_key')],
                'indexes': [
                    models.Index(fields=['space', 'reading', 'name'], name='player_reading'),
                    models.Index(fields=['space', 'name'], name='player_name'),
                    models.Index(condition=models.Q(('home__isnull', False)), fields=['home'], name='player_home'),
                    models.Index(condition=models.Q(('namesake__isnull', False)), fields=['namesake'], name='player_namesake'),
                    models.Index(condition=models.Q(('unsettled', True)), fields=['id'], name='player_unsettled'),
                ],
            },
        ),
        migrations.AddField(
            model_name='game',
            name='player0',
            field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='archive.player'),
        ),
        migrations.AddField(
            model_name='game',
            name='player1',
            field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='archive.player'),
        ),
        migrations.CreateModel(
            name='Report',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('game', models.BigIntegerField(null=True, verbose_name='game')),
                ('collection', models.BigIntegerField(null=True, verbose_name='collection')),
                ('reason', models.CharField(choices=[('wrong', 'The record or its names are wrong'), ('personal', 'It names a person who does not want it'), ('rights', 'It must not be published'), ('abuse', 'It is offensive, or not a game'), ('other', 'Something else')], max_length=10, verbose_name='reason')),
                ('text', models.TextField(blank=True, verbose_name='what they write')),
                ('made', models.DateTimeField(auto_now_add=True, verbose_name='reported')),
                ('settled', models.DateTimeField(null=True, verbose_name='settled')),
                ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='reported by')),
                ('settled_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='settled by')),
            ],
            options={
                'verbose_name': 'report of a visitor',
                'verbose_name_plural': 'reports of visitors',
            },
        ),
        migrations.CreateModel(
            name='Share',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=64, null=True, unique=True)),
                ('made', models.DateTimeField(auto_now_add=True)),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('game', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='shares', to='archive.game')),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='shared_games', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='SiteText',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('page', models.CharField(choices=[('terms', 'Terms of use'), ('privacy', 'Privacy'), ('contact', 'Contact')], max_length=10, verbose_name='page')),
                ('language', models.CharField(choices=[('ja', '日本語'), ('en', 'English')], max_length=2, verbose_name='language')),
                ('text', models.TextField(max_length=100000, verbose_name='text')),
                ('changed', models.DateTimeField(auto_now=True, verbose_name='changed')),
            ],
            options={
                'verbose_name': "page of the archive's owner",
                'verbose_name_plural': "pages of the archive's owner",
                'constraints': [models.UniqueConstraint(fields=('page', 'language'), name='site_text_of_language')],
            },
        ),
        migrations.CreateModel(
            name='Membership',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('owner', models.BooleanField(default=False)),
                ('since', models.DateTimeField(auto_now_add=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to=settings.AUTH_USER_MODEL)),
                ('space', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to='archive.space')),
            ],
        ),
        migrations.CreateModel(
            name='Draft',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('title', models.CharField(blank=True, max_length=200)),
                ('record', models.BinaryField()),
                ('game', models.BigIntegerField(null=True)),
                ('upload', models.BigIntegerField(null=True)),
                ('version', models.IntegerField(default=1)),
                ('changed', models.DateTimeField(auto_now=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='drafts', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['user', '-changed'], name='draft_of_user')],
            },
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=64, unique=True)),
                ('owner', models.BooleanField(default=False)),
                ('left', models.SmallIntegerField(db_default=1, default=1)),
                ('expires', models.DateTimeField()),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('space', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to='archive.space')),
            ],
        ),
        migrations.CreateModel(
            name='AccountInvitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('role', models.CharField(choices=[('reader', 'reader'), ('contributor', 'contributor'), ('curator', 'curator'), ('administrator', 'administrator')], max_length=13)),
                ('note', models.CharField(blank=True, max_length=80)),
                ('made', models.DateTimeField(auto_now_add=True)),
                ('expires', models.DateTimeField()),
                ('left', models.SmallIntegerField(db_default=1, default=1)),
                ('used', models.DateTimeField(null=True)),
                ('made_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='invitations_made', to=settings.AUTH_USER_MODEL)),
                ('used_by', models.ManyToManyField(related_name='invitations_used', to=settings.AUTH_USER_MODEL)),
                ('group', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='archive.space')),
            ],
        ),
        migrations.CreateModel(
            name='TakenDown',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('space', models.BigIntegerField()),
                ('digest', models.BinaryField(max_length=16)),
                ('game', models.BigIntegerField(null=True)),
                ('hidden', models.BooleanField()),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('space', 'digest'), name='taken_down_identity')],
            },
        ),
        migrations.CreateModel(
            name='Tally',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('what', models.CharField(max_length=20)),
                ('label', models.CharField(max_length=100)),
                ('outcome', models.CharField(max_length=20)),
                ('n', models.BigIntegerField(default=0)),
                ('seconds', models.FloatField(default=0.0)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('what', 'label', 'outcome'), name='tally_of')],
            },
        ),
        migrations.CreateModel(
            name='Token',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=80)),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('scopes', models.JSONField()),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('expires', models.DateTimeField(null=True)),
                ('last_used', models.DateTimeField(null=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tokens', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='Upload',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('sha256', models.CharField(max_length=64, verbose_name='SHA-256')),
                ('name', models.TextField(blank=True, verbose_name='name')),
                ('size', models.BigIntegerField()),
                ('space', models.BigIntegerField(db_default=0, default=0)),
                ('games_counter', models.CharField(blank=True, db_default='', max_length=64)),
                ('moving_to', models.BigIntegerField(null=True)),
                ('source', models.CharField(max_length=20)),
                ('request', models.CharField(blank=True, db_default='', default='', max_length=64)),
                ('received', models.DateTimeField(auto_now_add=True, verbose_name='received')),
                ('state', models.CharField(choices=[('received', 'received'), ('processing', 'in progress'), ('done', 'done'), ('failed', 'failed'), ('waiting', 'waits for a curator'), ('deleting', 'being deleted')], default='received', max_length=10, verbose_name='state')),
                ('expected', models.IntegerField(null=True)),
                ('reason', models.JSONField(null=True)),
                ('claimed_by', models.CharField(max_length=64, null=True)),
                ('claimed_until', models.DateTimeField(null=True)),
                ('tries', models.IntegerField(default=0)),
                ('paths', models.JSONField(null=True)),
                ('rereads', models.IntegerField(default=0)),
                ('reader', models.SmallIntegerField(db_default=0, default=1)),
                ('finished', models.DateTimeField(null=True, verbose_name='finished')),
                ('uploader', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='uploads', to=settings.AUTH_USER_MODEL, verbose_name='sent by')),
            ],
            options={
                'verbose_name': 'upload',
                'verbose_name_plural': 'uploads',
            },
        ),
        migrations.CreateModel(
            name='Sender',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(blank=True, max_length=32)),
                ('first', models.BooleanField()),
                ('upload', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='senders', to='archive.upload')),
            ],
        ),
        migrations.CreateModel(
            name='Entry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('seq', models.IntegerField()),
                ('path', models.TextField(blank=True, verbose_name='file')),
                ('index', models.IntegerField(default=0)),
                ('part', models.IntegerField(default=0)),
                ('state', models.CharField(choices=[('stored', 'added'), ('duplicate', 'already here'), ('failed', 'failed'), ('deleted', 'game deleted'), ('held', 'held for the staff')], max_length=10, verbose_name='state')),
                ('hidden', models.BooleanField(db_default=False, default=False, verbose_name='hidden')),
                ('taken_from', models.BigIntegerField(null=True)),
                ('record', models.BinaryField(null=True)),
                ('parsed_facts', models.JSONField(default=dict)),
                ('rereads', models.IntegerField(default=0)),
                ('issues', models.JSONField(default=list)),
                ('beyond_jkf', models.JSONField(default=dict)),
                ('encoding', models.CharField(blank=True, max_length=20)),
                ('format', models.CharField(blank=True, max_length=20)),
                ('program', models.TextField(blank=True)),
                ('game', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='archive.game')),
                ('upload', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='archive.upload', verbose_name='upload')),
            ],
            options={
                'verbose_name': 'record',
                'verbose_name_plural': 'records',
            },
        ),
        migrations.CreateModel(
            name='UploadChunk',
            fields=[
                ('pk', models.CompositePrimaryKey('upload_id', 'n', blank=True, editable=False, primary_key=True, serialize=False)),
                ('n', models.IntegerField()),
                ('bytes', models.BinaryField()),
                ('upload', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='chunks', to='archive.upload')),
            ],
        ),
        migrations.CreateModel(
            name='HookDelivery',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, primary_key=True, serialize=False)),
                ('made', models.DateTimeField(default=django.utils.timezone.now)),
                ('games', models.JSONField(default=list)),
                ('test', models.BooleanField(default=False)),
                ('tries', models.IntegerField(default=0)),
                ('next_try', models.DateTimeField(default=django.utils.timezone.now, null=True)),
                ('last_try', models.DateTimeField(null=True)),
                ('status', models.SmallIntegerField(null=True)),
                ('error', models.CharField(blank=True, max_length=20)),
                ('hook', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='archive.hook')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('next_try', None), _negated=True), fields=['next_try'], name='delivery_waiting')],
            },
        ),
        migrations.CreateModel(
            name='GamePlayer',
            fields=[
                ('pk', models.CompositePrimaryKey('player_id', 'played', 'slot', 'colour', blank=True, editable=False, primary_key=True, serialize=False)),
                ('played', models.IntegerField()),
                ('slot', models.IntegerField()),
                ('colour', models.SmallIntegerField()),
                ('rating', models.SmallIntegerField(null=True)),
                ('player', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='archive.player')),
                ('named', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='archive.player')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('slot', 'colour'), name='gameplayer_of_slot')],
                'indexes': [models.Index(condition=models.Q(('named__isnull', False)), fields=['named'], name='gameplayer_named')],
            },
        ),
        migrations.AddIndex(
            model_name='game',
            index=models.Index(fields=['space', 'played', 'slot'], name='game_of_space'),
        ),
        migrations.AddIndex(
            model_name='game',
            index=models.Index(fields=['space', 'plies', 'slot'], name='game_plies_of_space'),
        ),
        migrations.AddIndex(
            model_name='game',
            index=models.Index(fields=['space', 'id'], name='game_came_of_space'),
        ),
        migrations.AddIndex(
            model_name='game',
            index=models.Index(fields=['stem'], name='game_stem'),
        ),
        migrations.AddIndex(
            model_name='game',
            index=models.Index(condition=models.Q(('site', ''), _negated=True), fields=['site'], name='game_site'),
        ),
        migrations.AddIndex(
            model_name='game',
            index=models.Index(condition=models.Q(('kind', 'shogi'), ('network_version', 0)), fields=['id'], name='game_without_opinion'),
        ),
        migrations.AddIndex(
            model_name='game',
            index=models.Index(condition=models.Q(('record_kind', 'problem')), fields=['space', 'plies', 'id'], name='game_problems'),
        ),
        migrations.AddIndex(
            model_name='game',
            index=models.Index(condition=models.Q(('kind', 'shogi'), _negated=True), fields=['kind', 'played', 'slot'], name='game_rarer'),
        ),
        migrations.AddConstraint(
            model_name='game',
            constraint=models.UniqueConstraint(fields=('space', 'digest'), name='game_identity'),
        ),
        migrations.AddIndex(
            model_name='report',
            index=models.Index(condition=models.Q(('settled', None)), fields=['game'], name='report_open'),
        ),
        migrations.AddConstraint(
            model_name='share',
            constraint=models.UniqueConstraint(fields=('game', 'user'), name='share_with_user'),
        ),
        migrations.AddConstraint(
            model_name='membership',
            constraint=models.UniqueConstraint(fields=('space', 'user'), name='member_of_space'),
        ),
        migrations.AddIndex(
            model_name='upload',
            index=models.Index(condition=models.Q(('state__in', ['received', 'processing'])), fields=['received'], name='upload_unfinished'),
        ),
        migrations.AddIndex(
            model_name='upload',
            index=models.Index(condition=models.Q(('state', 'deleting')), fields=['id'], name='upload_deleting'),
        ),
        migrations.AddConstraint(
            model_name='upload',
            constraint=models.UniqueConstraint(fields=('uploader', 'space', 'sha256'), name='upload_of_user'),
        ),
        migrations.AddConstraint(
            model_name='upload',
            constraint=models.UniqueConstraint(condition=models.Q(('uploader__isnull', True)), fields=('sha256',), name='upload_of_nobody'),
        ),
        migrations.AddIndex(
            model_name='sender',
            index=models.Index(fields=['key', 'upload'], name='sender_uploads'),
        ),
        migrations.AddConstraint(
            model_name='sender',
            constraint=models.UniqueConstraint(fields=('upload', 'key'), name='sender_of_upload'),
        ),
        migrations.AddIndex(
            model_name='entry',
            index=models.Index(condition=models.Q(('hidden', True)), fields=['upload', 'part', 'hidden'], name='entry_hidden'),
        ),
        migrations.AddIndex(
            model_name='entry',
            index=models.Index(fields=['upload', 'state', 'seq'], name='entry_state'),
        ),
        migrations.AddIndex(
            model_name='entry',
            index=models.Index(condition=models.Q(('taken_from', None), _negated=True), fields=['taken_from'], name='entry_taken_from'),
        ),
        migrations.AddConstraint(
            model_name='entry',
            constraint=models.UniqueConstraint(fields=('upload', 'seq'), name='entry_of_upload'),
        ),
        migrations.CreateModel(
            name='CorrectionBatch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('author_name', models.CharField(max_length=150)),
                ('made', models.DateTimeField(auto_now_add=True)),
                ('space', models.BigIntegerField(default=0)),
                ('filters', models.JSONField(default=dict)),
                ('edit', models.JSONField()),
                ('reason', models.TextField()),
                ('state', models.CharField(choices=[('waiting', 'waiting'), ('running', 'running'), ('done', 'done'), ('undoing', 'being undone'), ('undone', 'undone')], default='waiting', max_length=8)),
                ('games', models.JSONField(default=list)),
                ('done', models.IntegerField(default=0)),
                ('claimed_until', models.DateTimeField(null=True)),
                ('author', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='Correction',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('subject', models.CharField(choices=[('game', 'game'), ('player', 'player'), ('event', 'event')], max_length=6)),
                ('subject_id', models.BigIntegerField()),
                ('entry', models.BigIntegerField(null=True)),
                ('space', models.BigIntegerField(default=0)),
                ('operations', models.JSONField()),
                ('reason', models.TextField(blank=True)),
                ('author_name', models.CharField(blank=True, max_length=150)),
                ('made', models.DateTimeField(auto_now_add=True)),
                ('state', models.CharField(choices=[('proposed', 'proposed'), ('applied', 'applied'), ('failed', 'failed prerequisite'), ('rejected', 'rejected'), ('withdrawn', 'withdrawn'), ('undone', 'undone')], max_length=9)),
                ('number', models.IntegerField(null=True)),
                ('failed_operation', models.SmallIntegerField(null=True)),
                ('due', models.DateTimeField(null=True)),
                ('author', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('batch', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='corrections', to='archive.correctionbatch')),
            ],
        ),
        migrations.CreateModel(
            name='CorrectionEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('event', models.CharField(choices=[('proposed', 'proposed'), ('applied', 'applied'), ('objected', 'objected'), ('rejected', 'rejected'), ('withdrawn', 'withdrawn'), ('undone', 'undone'), ('restored', 'applied again'), ('failed', 'prerequisite failed')], max_length=9)),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('account_name', models.CharField(blank=True, max_length=150)),
                ('text', models.TextField(blank=True)),
                ('account', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('correction', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='events', to='archive.correction')),
            ],
        ),
        migrations.CreateModel(
            name='GameIdentity',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('space', models.BigIntegerField()),
                ('digest', models.BinaryField(max_length=16)),
                ('stem', models.BinaryField(max_length=16)),
                ('game', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='identities', to='archive.game')),
            ],
        ),
        migrations.AddIndex(
            model_name='correction',
            index=models.Index(fields=['subject', 'subject_id', 'number'], name='correction_of_subject'),
        ),
        migrations.AddIndex(
            model_name='correction',
            index=models.Index(condition=models.Q(('state__in', ['proposed', 'failed'])), fields=['space', 'id'], name='correction_open'),
        ),
        migrations.AddIndex(
            model_name='correction',
            index=models.Index(condition=models.Q(('state', 'proposed')), fields=['due'], name='correction_due'),
        ),
        migrations.AddIndex(
            model_name='gameidentity',
            index=models.Index(fields=['stem'], name='gameidentity_stem'),
        ),
        migrations.AddConstraint(
            model_name='gameidentity',
            constraint=models.UniqueConstraint(fields=('space', 'digest'), name='game_identity_as_uploaded'),
        ),
        migrations.CreateModel(
            name='BenchMark',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=10)),
                ('subject', models.BigIntegerField()),
                ('other', models.BigIntegerField(default=0)),
                ('text', models.TextField(blank=True)),
                ('made', models.DateTimeField()),
                ('until', models.DateTimeField(null=True)),
                ('account_name', models.CharField(blank=True, max_length=150)),
                ('account', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('kind', 'subject', 'other'), name='bench_mark')],
            },
        ),
        migrations.CreateModel(
            name='Collection',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('place', models.IntegerField(default=0)),
                ('title', models.TextField()),
                ('description', models.TextField(blank=True)),
                ('visibility', models.CharField(choices=[('private', 'only members'), ('link', 'who has the link'), ('public', 'everybody')], default='private', max_length=7)),
                ('key', models.CharField(max_length=64, null=True, unique=True)),
                ('search', models.JSONField(null=True)),
                ('searched', models.BigIntegerField(default=0)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('changed', models.DateTimeField(auto_now=True)),
                ('parent', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='parts', to='archive.collection')),
                ('space', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='collections', to='archive.space')),
            ],
        ),
        migrations.CreateModel(
            name='CollectionGame',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.BigIntegerField()),
                ('note', models.TextField(blank=True)),
                ('ply', models.IntegerField(default=0)),
                ('collection', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='collected', to='archive.collection')),
                ('game', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='collected', to='archive.game')),
            ],
        ),
        migrations.AddIndex(
            model_name='collection',
            index=models.Index(condition=models.Q(('parent', None), ('visibility', 'public')), fields=['changed'], name='collection_public'),
        ),
        migrations.AddIndex(
            model_name='collection',
            index=models.Index(condition=models.Q(('search__isnull', False)), fields=['id'], name='collection_searching'),
        ),
        migrations.AddIndex(
            model_name='collectiongame',
            index=models.Index(fields=['collection', 'position'], name='collection_order'),
        ),
        migrations.AddConstraint(
            model_name='collectiongame',
            constraint=models.UniqueConstraint(fields=('collection', 'game'), name='game_of_collection'),
        ),
        migrations.CreateModel(
            name='Follow',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('search', 'search'), ('player', 'player'), ('event', 'event'), ('position', 'position')], max_length=8)),
                ('target', models.BigIntegerField(null=True)),
                ('game', models.CharField(blank=True, max_length=20)),
                ('code', models.TextField(blank=True)),
                ('search', models.JSONField(null=True)),
                ('title', models.CharField(blank=True, max_length=200)),
                ('scope', models.TextField(default='all')),
                ('seen', models.BigIntegerField(default=0)),
                ('made', models.DateTimeField(auto_now_add=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='follows', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['user', 'id'], name='follow_of_user')],
            },
        ),
        migrations.CreateModel(
            name='PositionNote',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('game', models.CharField(max_length=20)),
                ('code', models.TextField()),
                ('text', models.TextField(blank=True)),
                ('changed', models.DateTimeField(auto_now=True)),
                ('author', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='position_notes', to=settings.AUTH_USER_MODEL)),
                ('space', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='position_notes', to='archive.space')),
            ],
            options={
                'indexes': [models.Index(fields=['code', 'game'], name='note_on_position')],
            },
        ),
        migrations.CreateModel(
            name='Engine',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=16)),
                ('source', models.CharField(choices=[('engine', 'engine'), ('network', 'neural network'), ('record', 'comments of records')], max_length=8)),
                ('space', models.BigIntegerField(default=0)),
                ('name', models.CharField(max_length=200)),
                ('version', models.CharField(blank=True, max_length=200)),
                ('network', models.CharField(blank=True, max_length=200)),
                ('options', models.JSONField(default=dict)),
                ('digest', models.BinaryField(max_length=16, unique=True)),
                ('scale', models.FloatField(null=True)),
                ('log_loss', models.FloatField(null=True)),
                ('fitted_positions', models.IntegerField(default=0)),
                ('fitted_games', models.IntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name='GameAnalysis',
            fields=[
                ('pk', models.CompositePrimaryKey('game_id', 'engine_id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('space', models.BigIntegerField(default=0)),
                ('content', models.BinaryField()),
                ('accuracy0', models.FloatField(null=True)),
                ('accuracy1', models.FloatField(null=True)),
                ('made', models.DateTimeField()),
                ('engine', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='archive.engine')),
                ('game', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='archive.game')),
            ],
        ),
        migrations.CreateModel(
            name='Verdict',
            fields=[
                ('pk', models.CompositePrimaryKey('key', 'engine_id', 'lines', 'game', blank=True, editable=False, primary_key=True, serialize=False)),
                ('key', models.BigIntegerField()),
                ('lines', models.SmallIntegerField()),
                ('game', models.BigIntegerField(default=0)),
                ('space', models.BigIntegerField(default=0)),
                ('nodes', models.BigIntegerField(default=0)),
                ('depth', models.SmallIntegerField(default=0)),
                ('history', models.BooleanField(default=False)),
                ('moves', models.JSONField()),
                ('made', models.DateTimeField(auto_now_add=True)),
                ('by', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('engine', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='archive.engine')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('by__isnull', False)), fields=['by'], name='verdict_of_volunteer'), models.Index(condition=models.Q(('game__gt', 0)), fields=['game'], name='verdict_of_game'), models.Index(condition=models.Q(('space__gt', 0)), fields=['space'], name='verdict_of_space')],
            },
        ),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name='Occurrence',
                    fields=[
                        ('pk', models.CompositePrimaryKey('key', 'played', 'slot', 'ply', 'move', blank=True, editable=False, primary_key=True, serialize=False)),
                        ('key', models.BigIntegerField()),
                        ('played', models.IntegerField()),
                        ('slot', models.IntegerField()),
                        ('ply', models.SmallIntegerField()),
                        ('move', models.SmallIntegerField()),
                        ('flags', models.SmallIntegerField()),
                        ('result', models.SmallIntegerField()),
                    ],
                ),
            ],
            database_operations=[migrations.RunPython(make_database_objects)],
        ),
    ]
