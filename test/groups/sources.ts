import { runGroup } from '../helpers/groups.ts'

runGroup('sources')
