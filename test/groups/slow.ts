import { runGroup } from '../helpers/groups.ts'

runGroup('slow')
